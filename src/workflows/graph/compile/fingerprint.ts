// Identifies the graph that a record belongs to by its ids, edges, annotation keys and state version. Code inside nodes
// is not part of it: a changed comment or prompt does not stop a resume, but a changed graph is refused with what
// changed.

import { shortHash } from "../../../lib/hash.ts";
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
