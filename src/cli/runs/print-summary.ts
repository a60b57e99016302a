// The summary below a run's log, for a user at a terminal: a log has it all in its lines.

import type { App } from "../../app/create-app.ts";
import { type FileLineCounts, readChangedFiles } from "../../workflows/sessions/changed-files.ts";
import type { SessionView } from "../../workflows/sessions/session-view.ts";
import type { Screen } from "../io.ts";
import { summaryText } from "../print/summary-text.ts";
import { wrapLines } from "../print/wrap-lines.ts";

export interface SummarySource {
  readonly runs: Pick<App["runs"], "transcript">;
  readonly view: SessionView;
  /** Undefined: of all processes of the run, from its transcript, which takes the longer the more turns it has. */
  readonly changes?: readonly FileLineCounts[] | undefined;
  readonly screen: Pick<Screen, "size">;
}

export async function printSummary(
  { runs, view, changes, screen }: SummarySource,
  print: (text: string) => void,
): Promise<void> {
  const files = changes ?? (await readChangedFiles(runs.transcript(view.id, { only: "turn.finished" }), view));
  const text = summaryText(view, files);
  if (text !== "") print(wrapLines(text, screen.size().columns));
}
