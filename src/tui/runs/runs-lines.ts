// The list of runs as lines: one per run, what needs a user in the accent colour. Pure.

import { plainMarkdown } from "../../lib/plain-markdown.ts";
import { money } from "../chat/format.ts";
import {
  columnsOf,
  cut,
  fit,
  fitRight,
  type InkName,
  type Line,
  lineColumns,
  piece,
  rowsAround,
} from "../rows/line.ts";
import { needsPerson } from "./run-order.ts";
import type { RunRow } from "./runs-port.ts";

export interface RunsList {
  readonly shown: readonly RunRow[];
  readonly selected: number;
  readonly now: number;
  readonly width: number;
  readonly rows: number;
}

export function runsLines({ shown, selected, now, width, rows }: RunsList): readonly Line[] {
  const [from, to] = rowsAround(shown.length, selected, rows);
  return shown.slice(from, to).map((run, i) => runLine(run, from + i === selected, now, width));
}

function runLine(run: RunRow, isSelected: boolean, now: number, width: number): Line {
  const isWide = width >= 90;
  const [sign, ink] = signOf(run, now);
  const folder = isWide ? `  ${fit(run.cwd.split("/").at(-1) ?? "", 14)}` : "";
  const { completed, total } = run.tasks;
  const cost = run.totals.costUsd;
  const right = [
    fitRight(total === 0 ? "" : `${completed}/${total}`, 7),
    fitRight(cost > 0 ? money(cost) : "", 8),
    fitRight(run.updatedAt === 0 ? "" : ago(now - run.updatedAt), 5),
  ].join("");
  const name = [piece(fit(run.workflow === "" ? "?" : run.workflow, 9), isSelected ? "selected" : "strong")];
  const id = isWide ? [piece(` ${run.id.slice(0, 8)} `, "muted")] : [piece(" ")];
  const status = fit(statusWord(run), 12);
  const taken = 4 + lineColumns([...name, ...id]) + status.length + columnsOf(folder) + right.length;
  return [
    piece(isSelected ? "❯ " : "  ", "accent"),
    piece(`${sign} `, ink),
    ...name,
    ...id,
    piece(status, ink),
    piece(fit(aboutRun(run), Math.max(4, width - taken)), isSelected ? "text" : "muted"),
    piece(folder + right, "muted"),
  ];
}

function signOf(run: RunRow, now: number): readonly [string, InkName] {
  if (run.questions.length > 0 && needsPerson(run, now)) return ["?", "accent"];
  switch (run.status) {
    case "running":
      return ["◐", "accent"];
    case "elsewhere":
      return ["◌", "muted"];
    case "completed":
      return ["✓", "good"];
    case "failed":
    case "unreadable":
      return ["✗", "bad"];
    case "interrupted":
      return ["!", "bad"];
    case "paused":
      return ["‖", "text"];
    case "cancelled":
      return ["■", "muted"];
  }
}

function statusWord({ status, questions, reason }: Pick<RunRow, "status" | "questions" | "reason">): string {
  if (questions.length > 0 && (status === "running" || status === "paused")) return "asks you";
  if (status === "paused" && reason === "answered") return "answered";
  return status === "paused" && reason === "budget" ? "over budget" : status;
}

/** What to know of it in one line: the question, what went wrong, else what it was asked for. */
function aboutRun({ questions, status, message, prompt, cwd }: RunRow): string {
  const [first] = questions;
  if (first !== undefined)
    return `${plainMarkdown(first.text)}${questions.length > 1 ? ` (${questions.length - 1} more)` : ""}`;
  const isStopped = status === "failed" || status === "paused" || status === "unreadable" || status === "interrupted";
  if (isStopped && message !== undefined) return cut(message, 200);
  return prompt === "" ? cwd : prompt;
}

/** `12s`, `4m`, `3h`, `9d`. */
function ago(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
