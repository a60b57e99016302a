// What a front end can expect of a workflow, derived from its graph, so authors need not declare it. Graphs inside
// nodes count; those by name can't be known before they run.

import { CompiledGraph } from "./graph/compile/compiled-graph.ts";

export interface WorkflowCapabilities {
  /** Its state has a list of tasks. */
  readonly tasks: boolean;
  readonly agents: boolean;
  readonly questions: boolean;
}

/** `state`: the initial one, which describes a graph without annotations. */
export function capabilitiesOf(
  graph: CompiledGraph<Record<string, unknown>>,
  state: Readonly<Record<string, unknown>> = {},
): WorkflowCapabilities {
  const types = new Set<string>();
  collectTypes(graph, types, new Set());
  return {
    tasks: graph.annotations?.["tasks"] !== undefined || Array.isArray(state["tasks"]),
    agents: types.has("agent"),
    questions: types.has("wait") || types.has("ask_user"),
  };
}

function collectTypes(graph: CompiledGraph<Record<string, unknown>>, types: Set<string>, seen: Set<object>): void {
  if (seen.has(graph)) return;
  seen.add(graph);
  for (const { type, subgraph } of graph.nodes.values()) {
    types.add(type);
    if (CompiledGraph.is(subgraph)) collectTypes(subgraph, types, seen);
  }
}
