// Which graph a record belongs to: its ids, edges, annotation keys and state version. Code inside nodes is not part of
// it, so a changed comment or prompt does not stop a resume, and a changed graph is refused with what changed.

import { AtomicError } from "../../../lib/errors.ts";
import { shortHash } from "../../../lib/hash.ts";
import type { Json } from "../../../lib/json.ts";
import { CompiledGraph } from "./compiled-graph.ts";

type AnyGraph = CompiledGraph<Record<string, unknown>>;

/** A type and not an interface, so that it is JSON to the compiler too. */
export type GraphShape = {
  readonly nodes: readonly string[];
  readonly edges: readonly string[];
  readonly keys: readonly string[];
  readonly start: string;
  readonly stateVersion: number;
};

const shapes = new WeakMap<object, { shape: GraphShape; fingerprint: string }>();

export function shapeOf(graph: AnyGraph): GraphShape {
  return describe(graph).shape;
}

export function fingerprintOf<S extends object>(graph: CompiledGraph<S>): string {
  return describe(graph as CompiledGraph<never> as AnyGraph).fingerprint;
}

function describe(graph: AnyGraph): { shape: GraphShape; fingerprint: string } {
  const known = shapes.get(graph);
  if (known !== undefined) return known;
  const shape: GraphShape = {
    nodes: [...graph.nodes.values()].map((node) => `${node.type} ${node.id}${describeSubgraph(node.subgraph)}`),
    edges: graph.edges.map((edge) => `${edge.from} ${edge.condition === undefined ? "->" : "?>"} ${edge.to}`),
    keys: Object.keys(graph.annotations ?? {}).sort(),
    start: graph.startNode,
    stateVersion: graph.config.stateVersion ?? 0,
  };
  const described = { shape, fingerprint: shortHash(JSON.stringify(shape)) };
  shapes.set(graph, described);
  return described;
}

function describeSubgraph(subgraph: unknown): string {
  if (subgraph === undefined) return "";
  if (typeof subgraph === "string") return ` = workflow ${subgraph}`;
  return CompiledGraph.is(subgraph) ? ` = graph ${fingerprintOf(subgraph)}` : " = graph";
}

/** What is different, in words; empty when nothing is. */
export function compareShapes(recorded: Json, now: GraphShape): string[] {
  const before = recorded as Partial<GraphShape> | null;
  const changes: string[] = [];
  for (const [part, what] of [
    ["nodes", "node"],
    ["edges", "edge"],
    ["keys", "state key"],
  ] as const) {
    const old = new Set(before?.[part] ?? []);
    const current = new Set(now[part]);
    for (const item of old) if (!current.has(item)) changes.push(`${what} "${item}" is gone`);
    for (const item of current) if (!old.has(item)) changes.push(`${what} "${item}" is new`);
  }
  if (before?.start !== now.start) changes.push(`it starts at "${now.start}" instead of "${before?.start}"`);
  if (
    changes.length === 0 &&
    JSON.stringify(recorded) !== JSON.stringify({ ...now, stateVersion: before?.stateVersion })
  ) {
    changes.push("nodes or edges stand in another order");
  }
  return changes;
}

export function graphChanged(name: string, changes: readonly string[]): AtomicError {
  const shown = changes.slice(0, 10).join("; ");
  const more = changes.length > 10 ? `; and ${changes.length - 10} more` : "";
  return new AtomicError(
    "GRAPH_CHANGED",
    `The workflow "${name}" has changed since this run was recorded${shown === "" ? "" : `: ${shown}${more}`}. Put it back to resume the run, or start a new one.`,
    { details: { changes } },
  );
}
