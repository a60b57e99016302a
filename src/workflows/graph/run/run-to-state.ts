// What `compiled.execute(state)` and `.run(state)` do: run to the end and return the state, or throw.

import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { getDefaultRuntime } from "../model/default-runtime.ts";
import type { Runtime } from "../model/runtime.ts";
import { withRuns } from "./load-runs.ts";

export async function runToState<S extends object>(
  graph: CompiledGraph<S>,
  state: Partial<S>,
  runtime?: Runtime,
): Promise<S> {
  const defaults = getDefaultRuntime();
  return withRuns((runs) => runs.runForState(graph, state, runtime ?? defaults, defaults));
}
