// Runs a graph to an end. What that takes is in runs.ts, which the first run loads.

import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { getDefaultRuntime } from "../model/default-runtime.ts";
import type { ExecuteOptions, ExecutionResult } from "./execute-options.ts";
import { withRuns } from "./load-runs.ts";

/** What the options leave out comes from the library's defaults: `setClientProvider`, `setDefaultRuntime`. */
export async function executeGraph<S extends object>(
  graph: CompiledGraph<S>,
  options: ExecuteOptions<S> = {},
): Promise<ExecutionResult<S>> {
  // Those of now: what is set while the code is loaded is for later runs.
  const defaults = getDefaultRuntime();
  return withRuns((runs) => runs.runWithAgents(graph, options, defaults));
}

/** The same without any defaults. */
export async function runGraph<S extends object>(
  graph: CompiledGraph<S>,
  options: Omit<ExecuteOptions<S>, "client" | "agentOptions">,
): Promise<ExecutionResult<S>> {
  return withRuns((runs) => runs.runRecorded(graph, options));
}
