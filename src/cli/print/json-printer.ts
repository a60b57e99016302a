// `--json`: the events as the journal stores them, one per line, each with the run's id. The last line is `run.paused` or
// `run.finished`. With `--deltas` also what is never stored, without a number.

import type { PrintLine, RunPrinter } from "./run-printer.ts";
import { storedOf } from "../../events/run-event.ts";
import { safeJson } from "../../lib/safe-json.ts";

export function createJsonPrinter(print: PrintLine, options: { readonly hasDeltas: boolean }): RunPrinter {
  return {
    event: (runId, event) => print(safeJson({ runId, ...storedOf(event) })),
    ...(options.hasDeltas && { progress: (runId, note) => print(safeJson({ runId, ...note })) }),
  };
}
