// Runs a graph to an end: completed, failed, paused or cancelled. Opens and closes its journal; the run itself is in
// execution.ts, which is loaded by the first run, because most programs that import the engine only build graphs.

import { AtomicError } from "../../../lib/errors.ts";
import { CompiledGraph } from "../compile/compiled-graph.ts";
import type { ExecuteOptions, ExecutionResult } from "./execute-options.ts";

let scheduler: typeof import("./execution.ts") | undefined;

export async function executeGraph<S extends object>(
  graph: CompiledGraph<S>,
  options: ExecuteOptions<S> = {},
): Promise<ExecutionResult<S>> {
  // Before the journal is touched: a mistake must not leave a run behind.
  if (!CompiledGraph.is(graph)) {
    throw new AtomicError("BUILDER_MISUSE", "executeGraph: needs a compiled graph; call compile() on a builder first.");
  }
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
    const hasBegun = handle === undefined || handle.lastSeq > 0 || journal?.resume === true;
    await handle?.close();
    // A run that could not even begin (its first state is not JSON, its start can't be written) is not left behind.
    if (!hasBegun) await journal?.store.remove(journal.run).catch(() => undefined);
  }
}
