// What the screens about runs ask of the program. Everything comes in through this port, so that a component knows no
// application and a test needs none.

import type { RunTotals } from "../../workflows/limits/run-spending.ts";
import type { OpenQuestionView, SessionView } from "../../workflows/sessions/session-view.ts";

/** `interrupted`: no process is behind it. `elsewhere`: its process can't be seen from here. */
export type RunRowStatus = SessionView["status"] | "interrupted" | "elsewhere" | "unreadable";

/** A run in a list. */
export interface RunRow {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunRowStatus;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly agent: string;
  readonly prompt: string;
  readonly cwd: string;
  readonly updatedAt: number;
  readonly tasks: { readonly completed: number; readonly total: number };
  readonly totals: Pick<RunTotals, "costUsd">;
  readonly questions: readonly OpenQuestionView[];
}

export interface RunsPort {
  /** Runs of all folders and processes, the newest first. */
  list(): Promise<{ readonly runs: readonly RunRow[]; readonly left: number }>;
  now(): number;
}
