// The graph of a workflow definition, whichever of the three forms it has.

import { agentNode } from "../nodes/agent.ts";
import { GraphBuilder, graph } from "./graph/builder.ts";
import { compileGraphConfig } from "./graph/compile-config.ts";
import { CompiledGraph } from "./graph/compiled-graph.ts";
import type { BaseState } from "./graph/state.ts";
import type { WorkflowDefinition } from "./definition.ts";

export type AnyGraph = CompiledGraph<Record<string, unknown>>;

/** Throws GRAPH_INVALID with every fault. Calls the author's factory, so the file must be trusted. */
export function graphOf(definition: WorkflowDefinition): AnyGraph {
  const { name, stateVersion, migrateState, graphConfig, createWorkflow } = definition;
  const options = { name, stateVersion, migrateState };
  if (graphConfig !== undefined) return compileGraphConfig(graphConfig, options) as object as AnyGraph;
  if (createWorkflow === undefined) return promptGraph(options);
  const made: unknown = createWorkflow({ ...definition.defaultConfig });
  const compiled = made instanceof GraphBuilder ? made.compile(options) : made;
  return renamed(compiled as AnyGraph, options);
}

/** A file with metadata only: the prompt is the whole workflow, one turn of an agent. */
function promptGraph(options: { readonly name: string }): AnyGraph {
  const turn = agentNode<BaseState & { prompt: string }>({ id: "prompt", prompt: (state) => state.prompt });
  return graph<BaseState & { prompt: string }>().start(turn).compile(options) as object as AnyGraph;
}

/** A graph that the author compiled has no name yet; cycles and errors are told by it. */
function renamed(
  compiled: AnyGraph,
  options: { readonly name: string; readonly stateVersion: number | undefined },
): AnyGraph {
  if (compiled.config.name !== undefined) return compiled;
  return compiled.withConfig(options);
}
