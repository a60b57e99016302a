// Validating and compiling a graph of 10,000 nodes and 20,000 edges, against a hand-written pass that makes the same
// checks with the same data structures: ids, edge ends, duplicates, and one walk for what can't be reached.

import type { Edge, NodeDefinition } from "../../src/public/graph.ts";
import { compileGraphConfig } from "../../src/public/graph.ts";
import type { Scale, Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { perUnit } from "../harness/per-unit.ts";
import { overFloor } from "../harness/targets.ts";

type State = Record<string, unknown>;

interface Config {
  readonly nodes: NodeDefinition<State>[];
  readonly edges: Edge<State>[];
  readonly startNode: string;
}

const title = "Validate and compile 10,000 nodes, 20,000 edges";

function configOf(scale: Scale): Config {
  const size = scale === "full" ? 10_000 : 2_000;
  const id = (i: number): string => `node-${i % size}`;
  const nodes = Array.from({ length: size }, (_, i) => ({ id: id(i), type: "tool" as const, execute: async () => {} }));
  const edges: Edge<State>[] = [];
  for (let i = 0; i < size; i++) {
    edges.push({ from: id(i), to: id(i * 7 + 3), condition: (state) => state["count"] === i });
    edges.push({ from: id(i), to: id(i + 1) });
  }
  return { nodes, edges, startNode: id(0) };
}

interface FloorNode {
  readonly definition: NodeDefinition<State>;
  readonly next: FloorNode[];
  readonly conditional: { readonly condition: (state: Readonly<State>) => boolean; readonly to: FloorNode }[];
  readonly before: FloorNode[];
}

/** A hand-written pass that indexes the lists and finds the same faults. */
function compileByHand(config: Config): Map<string, FloorNode> {
  const faults: string[] = [];
  const nodes = new Map<string, FloorNode>();
  for (const definition of config.nodes) {
    if (typeof definition.id !== "string" || definition.id === "") faults.push("a node without an id");
    if (typeof definition.execute !== "function") faults.push(`${definition.id} has no body`);
    if (nodes.has(definition.id)) faults.push(`${definition.id} is there twice`);
    nodes.set(definition.id, { definition, next: [], conditional: [], before: [] });
  }
  for (const { from, to, condition } of config.edges) {
    const source = nodes.get(from);
    const target = nodes.get(to);
    if (source === undefined || target === undefined) {
      faults.push(`an edge from ${from} to ${to}`);
      continue;
    }
    if (condition !== undefined && typeof condition !== "function") faults.push(`a condition of ${from}`);
    if (condition === undefined && source.next.includes(target)) faults.push(`two edges from ${from} to ${to}`);
    if (condition === undefined) source.next.push(target);
    else source.conditional.push({ condition, to: target });
    target.before.push(source);
  }
  const start = nodes.get(config.startNode);
  if (start === undefined) throw new Error(`no node ${config.startNode}`);
  const seen = new Set([start]);
  for (const node of seen) {
    for (const next of node.next) seen.add(next);
    for (const { to } of node.conditional) seen.add(to);
  }
  for (const [id, node] of nodes) if (!seen.has(node)) faults.push(`${id} can't be reached`);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return nodes;
}

async function compileWithLangGraph(config: Config): Promise<() => unknown> {
  const { Annotation, START, StateGraph } = await import("@langchain/langgraph");
  const Root = Annotation.Root({ count: Annotation<number> });
  return () => {
    const builder = new StateGraph(Root);
    const name = (id: string): typeof START => id as typeof START;
    for (const { id } of config.nodes) builder.addNode(name(id), async () => ({}));
    builder.addEdge(START, name(config.startNode));
    for (const { from, to } of config.edges) builder.addEdge(name(from), name(to));
    return builder.compile();
  };
}

function compiling(prepare: (config: Config) => Promise<() => unknown> | (() => unknown)): Subject {
  return {
    measure: async ({ scale }) => {
      const config = configOf(scale);
      return perUnit(scale, config.nodes.length, await prepare(config));
    },
  };
}

export default defineBench({
  title,
  part: "engine",
  unit: "node",
  rounds: { full: 7, quick: 3 },
  subjects: {
    floor: compiling((config) => () => compileByHand(config)),
    atomic: compiling((config) => () => compileGraphConfig<State>(config)),
    langgraph: { ...compiling(compileWithLangGraph), isSlow: true },
  },
  rows: (measured) => [overFloor(title, measured, 3)],
});
