// The runs of a user as a table.

import type { RunSummary } from "../../app/run-summary.ts";
import type { RunList } from "../../app/runs-read.ts";
import { formatDuration } from "../../workflows/sessions/progress-text.ts";
import { table } from "../table.ts";

export function sessionList({ runs, left }: RunList, now: number, columns: number | undefined): string {
  if (runs.length === 0)
    return "There are no runs yet. Start one with `atomic run WORKFLOW`; `atomic workflows` lists them.";
  const rows = runs.map((run) => [
    run.id,
    statusText(run),
    run.workflow,
    tasksText(run),
    agoText(run, now),
    aboutText(run),
  ]);
  const text = table(["ID", "STATUS", "WORKFLOW", "TASKS", "UPDATED", "WHAT"], rows, columns);
  return left === 0 ? text : `${text}\n… and ${left} older ones; --all lists them.`;
}

export function statusText({ status, reason }: Pick<RunSummary, "status" | "reason">): string {
  return reason === undefined || reason === status ? status : `${status} (${reason})`;
}

function tasksText({ tasks }: RunSummary): string {
  return tasks.total === 0 ? "-" : `${tasks.completed}/${tasks.total}`;
}

function agoText({ updatedAt }: RunSummary, now: number): string {
  return updatedAt === 0 ? "-" : `${formatDuration(Math.max(0, now - updatedAt))} ago`;
}

function aboutText(run: RunSummary): string {
  if (run.status === "unreadable") return run.message ?? "";
  return run.prompt === "" ? run.cwd : `${run.prompt}  (${run.cwd})`;
}
