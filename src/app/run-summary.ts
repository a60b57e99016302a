// What a list shows of a run.

import type { RunTotals } from "../workflows/limits/run-spending.ts";
import type { OpenQuestionView } from "../workflows/sessions/session-view.ts";
import type { RunStatus } from "./run-status.ts";

export interface RunSummary {
  readonly id: string;
  readonly workflow: string;
  readonly status: RunStatus;
  readonly reason?: string | undefined;
  /** What went wrong, or why it paused; for an unreadable run, what is wrong with its record. */
  readonly message?: string | undefined;
  readonly agent: string;
  readonly prompt: string;
  readonly cwd: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly tasks: { readonly completed: number; readonly total: number };
  readonly totals: RunTotals;
  readonly questions: readonly OpenQuestionView[];
  readonly sessionDir: string;
}
