// Runs a graph to an end: completed, failed, paused or cancelled. Opens and closes its journal; the run itself is in
// execution.ts, which is loaded by the first run, because most programs that import the engine only build graphs.

import type { CompiledGraph } from "./compiled-graph.ts";
import type { ExecuteOptions, ExecutionResult } from "./execute-options.ts";

let scheduler: typeof import("./execution.ts") | undefined;

export async function executeGraph<S extends object>(
  graph: CompiledGraph<S>,
  options: ExecuteOptions<S> = {},
): Promise<ExecutionResult<S>> {
  const { journal } = options;
  const handle = await journal?.store.open(journal.run, {
    mode: journal.resume === true ? "resume" : "create",
    ...(journal.takeOver === true && { takeOver: true }),
  });
  try {
    scheduler ??= await import("./execution.ts");
    const execution = new scheduler.Execution(
      graph as CompiledGraph<never> as CompiledGraph<Record<string, unknown>>,
      options as ExecuteOptions<never> as ExecuteOptions<Record<string, unknown>>,
      handle,
    );
    return (await execution.run()) as ExecutionResult<S>;
  } finally {
    await handle?.close();
  }
}
