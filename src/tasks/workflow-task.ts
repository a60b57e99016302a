// The one model of a task, as it stands in a workflow's state and on the screen. On disk it has other words:
// task-file.ts.

import type { Json } from "../lib/json.ts";

/** `blocked` is derived (see task-order.ts) and never stored. */
export type WorkflowTaskStatus = "pending" | "in_progress" | "completed" | "failed" | "blocked";

export interface WorkflowTask {
  readonly id: string;
  readonly title: string;
  readonly status: WorkflowTaskStatus;
  /** Ids of the tasks that must be completed first. */
  readonly blockedBy?: readonly string[];
  /** Why it failed. */
  readonly error?: string;
  readonly description?: string;
  /** Lower goes first; tasks without one go last. */
  readonly priority?: number;
  /** A command that exits 0 when the task is done. */
  readonly verify?: string;
  /** Completed without being done: counts for those that wait for it, and is shown as such. */
  readonly isSkipped?: true;
  /** Everything else in the file about it. */
  readonly metadata?: { readonly [key: string]: Json };
}

/** The commands that check tasks, each once. */
export function verifyCommandsOf(tasks: readonly WorkflowTask[]): readonly string[] {
  return [...new Set(tasks.flatMap(({ verify }) => verify ?? []))];
}

/** `#1`, `1` and the number 1 are one id. */
export function taskId(written: string | number): string {
  return String(written).trim().replace(/^#/, "");
}
