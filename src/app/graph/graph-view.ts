// A compiled graph as plain data, for drawings and for `--json`: what a reader of the workflow would recognise. The
// builder's own nodes that only pass on (the end of an if, the entry of a loop) are left out, and their edges joined.

import { goesTo } from "../../workflows/graph/compile/plan.ts";
import type { AnyNode } from "../../workflows/graph/compile/plan.ts";
import type { AnyGraph } from "../../workflows/workflow-graph.ts";

export type GraphNodeKind =
  | "agent"
  | "tool"
  | "decision"
  | "wait"
  | "ask_user"
  | "subgraph"
  | "parallel"
  | "join"
  | "if"
  | "loop";

export interface GraphViewNode {
  readonly id: string;
  readonly kind: GraphNodeKind;
  /** What to show: the node's own name, else its id. */
  readonly label: string;
  readonly description?: string;
  /** The graph inside, when it is known by name. */
  readonly subgraph?: string;
}

export interface GraphViewEdge {
  readonly from: string;
  readonly to: string;
  /** `always`: followed when no condition before it holds. `goto`: the node itself may choose it. */
  readonly kind: "always" | "condition" | "goto" | "error";
  readonly label?: string;
}

export interface GraphView {
  readonly start: string;
  readonly nodes: readonly GraphViewNode[];
  readonly edges: readonly GraphViewEdge[];
}

export function graphView(graph: AnyGraph, descriptions: Readonly<Record<string, string>> = {}): GraphView {
  const nodes = [...graph.nodes.values()] as readonly AnyNode[];
  const shown = new Set(nodes.filter((node) => kindOf(node) !== undefined).map((node) => node.id));
  const edges = withoutPasses(edgesOf(graph, nodes), shown);
  return {
    start: shown.has(graph.startNode) ? graph.startNode : (edges.find((edge) => shown.has(edge.to))?.to ?? ""),
    nodes: nodes.flatMap((node) => viewOf(node, descriptions[node.id])),
    edges,
  };
}

function viewOf(node: AnyNode, description: string | undefined): readonly GraphViewNode[] {
  const kind = kindOf(node);
  if (kind === undefined) return [];
  const { control, subgraph } = node;
  const text = description ?? node.description;
  return [
    {
      id: node.id,
      kind,
      label: control?.kind === "loop-check" ? loopLabel(control.maxIterations) : (node.name ?? node.id),
      ...(text === undefined ? {} : { description: text }),
      ...(typeof subgraph === "string" ? { subgraph } : {}),
    },
  ];
}

function loopLabel(maxIterations: number | undefined): string {
  if (maxIterations === undefined) return "until done, or the run's limit";
  return maxIterations === 0 ? "until done" : `until done, at most ${maxIterations}×`;
}

/** Undefined for a node that only passes on. */
function kindOf({ type, control, id }: AnyNode): GraphNodeKind | undefined {
  if (control === undefined) return type === "control" ? undefined : type;
  switch (control.kind) {
    case "join":
      return "join";
    case "loop-check":
      return "loop";
    case "loop-entry":
      return undefined;
    case "pass":
      // The beginning of an if routes; its end, and the exit of a loop, only gather.
      return id.endsWith("/end") || id.endsWith("/exit") ? undefined : "if";
  }
}

function edgesOf(graph: AnyGraph, nodes: readonly AnyNode[]): GraphViewEdge[] {
  const edges: GraphViewEdge[] = graph.edges.map(({ from, to, condition, label }) => ({
    from,
    to,
    kind: condition === undefined ? "always" : "condition",
    ...(label === undefined ? {} : { label }),
  }));
  for (const node of nodes) {
    const { control, onError } = node;
    if (control?.kind === "loop-check") {
      edges.push({ from: node.id, to: control.body, kind: "condition", label: "again" });
      edges.push({ from: node.id, to: control.exit, kind: "always", label: "done" });
      continue;
    }
    for (const to of goesTo(node)) edges.push({ from: node.id, to, kind: to === onError ? "error" : "goto" });
  }
  return edges;
}

/** Edges through a node that is not shown lead to where it leads. */
function withoutPasses(edges: readonly GraphViewEdge[], shown: ReadonlySet<string>): readonly GraphViewEdge[] {
  const next = new Map<string, GraphViewEdge[]>();
  for (const edge of edges) next.set(edge.from, [...(next.get(edge.from) ?? []), edge]);
  const targets = (id: string, seen: ReadonlySet<string>): readonly string[] => {
    if (shown.has(id)) return [id];
    if (seen.has(id)) return [];
    return (next.get(id) ?? []).flatMap((edge) => targets(edge.to, new Set([...seen, id])));
  };
  const found = new Map<string, GraphViewEdge>();
  for (const edge of edges) {
    if (!shown.has(edge.from)) continue;
    for (const to of targets(edge.to, new Set())) {
      const key = JSON.stringify([edge.from, to, edge.kind, edge.label ?? ""]);
      if (!found.has(key)) found.set(key, { ...edge, to });
    }
  }
  return [...found.values()];
}
