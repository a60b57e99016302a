// `--json`: the events as the journal stores them, one per line, each with the run's id. The last line is `run.paused` or
// `run.finished`. With `--deltas` also what is never stored, without a number.

import type { PrintLine, RunPrinter } from "./run-printer.ts";

export function createJsonPrinter(print: PrintLine, options: { readonly hasDeltas: boolean }): RunPrinter {
  return {
    event: (runId, event) => print(JSON.stringify({ runId, ...event })),
    ...(options.hasDeltas && { progress: (runId, note) => print(JSON.stringify({ runId, ...note })) }),
  };
}
