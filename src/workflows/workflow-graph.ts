// The graph of a workflow definition, whichever of the three forms it has.

import { AtomicError } from "../lib/errors.ts";
import { agentNode } from "../nodes/agent.ts";
import { GraphBuilder, graph } from "./graph/build/builder.ts";
import { compileGraphConfig } from "./graph/build/compile-config.ts";
import type { CompiledGraph, CompileOptions, SubgraphStart } from "./graph/compile/compiled-graph.ts";
import type { BaseState } from "./graph/model/state.ts";
import type { WorkflowDefinition, WorkflowStateParams } from "./definition.ts";
import { firstState, optionDefaults } from "./first-state.ts";

export type AnyGraph = CompiledGraph<Record<string, unknown>>;

/** Throws GRAPH_INVALID with every fault. Calls the author's factory, so the file must be trusted. */
export function graphOf(definition: WorkflowDefinition): AnyGraph {
  const { name, stateVersion, migrateState, graphConfig, createWorkflow } = definition;
  // Without one, and with its own nodes, it takes the state as it is.
  const hasState = definition.createState !== undefined || (graphConfig === undefined && createWorkflow === undefined);
  const createState = (start: SubgraphStart): Record<string, unknown> => stateInside(definition, start);
  const options = { name, stateVersion, migrateState, ...(hasState && { createState }) };
  if (graphConfig !== undefined) return compileGraphConfig(graphConfig, options) as object as AnyGraph;
  if (createWorkflow === undefined) return promptGraph(options);
  const made: unknown = createWorkflow({ ...definition.defaultConfig });
  const compiled = made instanceof GraphBuilder ? made.compile(options) : made;
  return renamed(compiled as AnyGraph, options);
}

/**
 * How many iterations the workflow itself asks for; undefined when it leaves that to the run. A run of it has this
 * limit unless it is given another one.
 */
export function declaredIterations(definition: WorkflowDefinition): number | undefined {
  const { maxVisits = 0 } = graphOf(definition).config;
  return maxVisits > 0 ? maxVisits : undefined;
}

/** A file with metadata only: the prompt is the whole workflow, one turn of an agent. */
function promptGraph(options: { readonly name: string }): AnyGraph {
  const turn = agentNode<BaseState & { prompt: string }>({ id: "prompt", prompt: (state) => state.prompt });
  return graph<BaseState & { prompt: string }>().start(turn).compile(options) as object as AnyGraph;
}

/** A graph that the author compiled has no name yet, which cycles and errors report. */
function renamed(compiled: AnyGraph, options: CompileOptions<Record<string, unknown>>): AnyGraph {
  const { name, createState } = options;
  if (compiled.config.name !== undefined && compiled.config.name !== name) return compiled.withConfig({ createState });
  return compiled.withConfig(options);
}

/**
 * The first state of a workflow that another one uses: as if it had been started on its own, except for the given
 * values.
 */
function stateInside(definition: WorkflowDefinition, { input, options, executionId, run = {} }: SubgraphStart) {
  const { name, options: declared = {} } = definition;
  const unknown = Object.keys(options).find((each) => !Object.hasOwn(declared, each) && each !== "verify");
  if (unknown !== undefined)
    throw new AtomicError(
      "USAGE",
      `The workflow "${name}" has no option "${unknown}". Remove it from the subgraph node.`,
    );
  const started = run as Partial<WorkflowStateParams>;
  const { prompt, ...given } = input;
  const params: WorkflowStateParams = {
    sessionId: executionId,
    sessionDir: "",
    cwd: ".",
    maxIterations: 0,
    ...started,
    prompt: typeof prompt === "string" ? prompt : (started.prompt ?? ""),
    options: {
      ...optionDefaults(definition),
      verify: started.options?.["verify"],
      ...options,
    },
  };
  return { ...firstState(definition, params), ...given };
}
