// Shows a run while it runs: events in, lines out. The two printers are folds of the same events.

import type { RunEvent } from "../../events/run-event.ts";
import type { ProgressNote } from "../../app/progress-note.ts";

export interface RunPrinter {
  /** Stored events, in order. */
  event(run: string, event: RunEvent): void;
  /** Shown and never stored: pieces of text, output of tools. Absent when it is not wanted. */
  progress?(run: string, note: ProgressNote): void;
  /** Ids of the questions that were printed last, with the commands that answer them. Absent: it prints no commands. */
  lastQuestions?(): ReadonlySet<string>;
}

/** Prints one line, or several in one text; the end of the last is added. */
export type PrintLine = (text: string) => void;
