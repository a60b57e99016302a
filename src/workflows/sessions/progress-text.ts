// progress.txt: a page about a run for a user, complete each time it is written.

import { localTime } from "../../lib/local-time.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { withBlocked } from "../../tasks/task-order.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { type HistoryLine, historyTail } from "./session-history.ts";
import { type SessionView, totalsOf } from "./empty-view.ts";

const marks: Readonly<Record<WorkflowTask["status"], string>> = {
  completed: "✓",
  failed: "✗",
  in_progress: "→",
  blocked: "⊘",
  pending: "·",
};

/** The lines of one task and of one event of the history: kept by callers that write the page again and again. */
export interface ProgressLines {
  readonly task: (task: WorkflowTask) => string;
  readonly history: (line: HistoryLine) => string;
}

export function progressText(view: SessionView, lineOf: ProgressLines): string {
  const totals = totalsOf(view);
  const tasks = withBlocked([...view.tasks.values()]);
  const lines = [
    `# ${titleOf(view.workflow)} session: ${view.id}`,
    `Created: ${localTime(view.createdAt)}`,
    `Updated: ${localTime(view.updatedAt)}`,
    `Status:  ${view.status}${view.reason === undefined ? "" : ` (${view.reason})`}`,
    `Agent:   ${safeLine(view.agent)}`,
    ...(view.mode === undefined ? [] : [`Mode:    ${safeLine(view.mode)}`]),
    ...(view.taskSource === undefined ? [] : [`List:    ${safeLine(view.taskSource, 500)}`]),
    `Prompt:  ${safeLine(view.prompt, 300)}`,
    `Spent:   ${formatCost(totals)}, ${totals.inputTokens + totals.outputTokens} tokens in ${formatTurns(totals.turns)}, ${formatDuration(totals.activeMs)}`,
  ];
  if (view.phase !== undefined && view.status === "running") lines.push(`Now:     ${safeLine(view.phase)}`);
  if (view.message !== undefined) lines.push(`Note:    ${safeLine(view.message, 1000)}`);
  if (view.waitingUntil !== undefined) lines.push(`Waits:   ${waitText(view.waitingUntil, view.waitingFor)}`);
  for (const question of view.questions.values()) lines.push(`Asks:    ${safeLine(question.text, 500)}`);
  if (view.pullRequest?.url !== undefined) lines.push(`PR:      ${safeLine(view.pullRequest.url, 500)}`);
  if (view.pullRequest?.branch !== undefined) lines.push(`Branch:  ${safeLine(view.pullRequest.branch)}`);
  if (tasks.length > 0) {
    lines.push("", `## Tasks: ${view.completedTasks} of ${tasks.length} done`, "");
    for (const task of tasks) lines.push(lineOf.task(task));
  }
  lines.push("", "## History", "");
  for (const line of historyTail(view.history)) lines.push(lineOf.history(line));
  return `${lines.join("\n")}\n`;
}

export function historyLine({ at, text }: HistoryLine): string {
  return `[${localTime(at)}] ${text}`;
}

export function taskLine(task: WorkflowTask): string {
  const skipped = task.isSkipped === true ? " (skipped)" : "";
  const waits =
    task.status === "pending" && (task.blockedBy?.length ?? 0) > 0 ? `  after ${task.blockedBy?.join(", ")}` : "";
  const error = task.error === undefined ? "" : `\n      ${safeLine(task.error, 300)}`;
  return `${marks[task.status]} ${safeLine(task.id, 40)}  ${safeLine(task.title)}${skipped}${waits}${error}`;
}

/** Only some waits are for a limit: a service that can't be reached is tried again too. */
export function waitText(until: number, kind: string | undefined): string {
  const what = kind === "rate_limited" ? "for a rate limit" : "to try the model's service again";
  return `${what}, until ${localTime(until)}`;
}

export function formatCost(totals: {
  readonly costUsd: number;
  readonly turns: number;
  readonly turnsWithoutCost: number;
}): string {
  if (totals.turnsWithoutCost === 0) return `$${totals.costUsd.toFixed(4)}`;
  if (totals.turnsWithoutCost === totals.turns) return "cost unknown";
  return `$${totals.costUsd.toFixed(4)} and ${formatTurns(totals.turnsWithoutCost)} of unknown cost`;
}

export function formatTurns(turns: number): string {
  return `${turns} ${turns === 1 ? "turn" : "turns"}`;
}

export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

export function titleOf(workflow: string): string {
  return workflow === "" ? "Workflow" : `${workflow.charAt(0).toUpperCase()}${workflow.slice(1)}`;
}
