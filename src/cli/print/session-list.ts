// The runs of a user as a table.

import type { RunSummary } from "../../app/run-summary.ts";
import type { RunList } from "../../app/list-runs.ts";
import { formatDuration } from "../../workflows/sessions/progress-text.ts";
import { shortIds } from "../../app/runs/run-reference.ts";
import { table } from "../table.ts";

interface Column {
  readonly heading: string;
  readonly cell: (run: RunSummary) => string;
  /** Left out on a terminal with fewer columns. */
  readonly from?: number;
}

/** At a terminal ids are cut to unique prefixes, and columns without room are left out; a pipe gets everything. */
export function sessionList({ runs, left }: RunList, now: number, columns: number | undefined): string {
  if (runs.length === 0)
    return "No runs yet. Start one with `atomic run WORKFLOW`; `atomic workflows` lists the workflows.";
  const short = columns === undefined ? undefined : shortIds(runs.map(({ id }) => id));
  const all: readonly Column[] = [
    { heading: "ID", cell: ({ id }) => short?.get(id) ?? id },
    { heading: "STATUS", cell: statusText },
    { heading: "WORKFLOW", cell: ({ workflow }) => workflow, from: 50 },
    { heading: "TASKS", cell: tasksText, from: 60 },
    { heading: "UPDATED", cell: (run) => agoText(run, now) },
    { heading: "WHAT", cell: aboutText, from: 70 },
  ];
  const shown = all.filter(({ from = 0 }) => columns === undefined || columns >= from);
  const rows = runs.map((run) => shown.map(({ cell }) => cell(run)));
  const headings = shown.map(({ heading }) => heading);
  const text = table(headings, rows, columns);
  return left === 0 ? text : `${text}\n… and ${left} older ${left === 1 ? "one" : "ones"}; --all lists them.`;
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
