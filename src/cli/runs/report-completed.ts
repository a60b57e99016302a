// A completed run that is resumed once more, by a script or after a kill right after its end: nothing is left to do, and
// what it came to is shown as it was at its end. Read from its record: the workflow's file may be gone.

import type { App } from "../../app/create-app.ts";
import type { OptionValues } from "../../lib/declared-options.ts";
import type { Json } from "../../lib/json.ts";
import { safeJson } from "../../lib/safe-json.ts";
import { emptyState, nextState } from "../../workflows/sessions/recorded-state.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import { combinedValue } from "../../workflows/sessions/state-value.ts";
import type { Io } from "../io.ts";
import { outputsText } from "../print/outputs-text.ts";
import { reportText } from "../print/report-text.ts";
import { paintLog } from "../style.ts";
import { runStyle } from "./run-style.ts";

type ReportIo = Pick<Io, "print" | "warn" | "screen">;

/** As JSON, its last event. */
export async function reportCompleted(
  view: SessionView,
  values: OptionValues,
  { app, io }: { readonly app: Pick<App, "runs" | "settings">; readonly io: ReportIo },
): Promise<number> {
  if (values["json"] === true) {
    const end = view.recent.at(-1);
    if (end !== undefined) io.print(safeJson({ runId: view.id, ...end }));
    return 0;
  }
  const isQuiet = values["quiet"] === true;
  if (!isQuiet) io.warn(`Run ${view.id} is already completed; nothing is left to do.`);
  if (view.report !== undefined) io.print(reportText(view.report));
  const { screen } = io;
  if (!isQuiet && screen !== undefined) {
    const { printSummary } = await import("./print-summary.ts");
    const style = await runStyle(app, io);
    await printSummary({ runs: app.runs, view, screen }, (text) => io.warn(paintLog(text, style)));
  }
  if (view.report !== undefined) return 0;
  const text = outputsText(await recordedOutputs(app.runs, view));
  if (text !== "" && !isQuiet) io.warn("");
  if (text !== "") io.print(text);
  return 0;
}

async function recordedOutputs(runs: Pick<App["runs"], "events" | "reducers">, view: SessionView): Promise<Json> {
  let state = emptyState;
  for await (const event of runs.events(view.id)) state = nextState(state, event, view.graph);
  const outputs = state.written.get("outputs");
  if (outputs === undefined) return null;
  const { value, problem } = combinedValue(outputs, state.branches);
  if (problem === undefined) return value;
  const own = (await runs.reducers(view.id))["outputs"];
  return combinedValue(outputs, state.branches, own).value;
}
