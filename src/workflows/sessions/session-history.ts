// What happened in a run, one line for each thing that a person would want to know later: tasks that ended, iterations,
// reviews, pauses. Bounded, so that a run of a hundred thousand iterations has a short one too.

import type { Json } from "../../lib/json.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { StoredEvent } from "../../journal/port.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";

export interface HistoryLine {
  readonly at: number;
  readonly text: string;
}

const mostLines = 500;

export interface HistoryFacts {
  /** The task of a `task.updated`, as it was. */
  readonly before: WorkflowTask | undefined;
  /** Which one begins; undefined where tasks say more than their number. */
  readonly iteration: number | undefined;
}

export function foldHistory(history: HistoryLine[], event: StoredEvent, facts: HistoryFacts): void {
  const text = lineOf(event, facts);
  if (text === undefined) return;
  history.push({ at: event.at, text });
  // In one go, because each removal moves all others.
  if (history.length > mostLines * 1.2) history.splice(0, history.length - mostLines);
}

export function historyTail(history: readonly HistoryLine[]): readonly HistoryLine[] {
  return history.slice(-mostLines);
}

function lineOf(event: StoredEvent, { before, iteration }: HistoryFacts): string | undefined {
  const field = (name: string): string => textOf(event[name]);
  switch (event.type) {
    case "run.started":
      return event["resumed"] === true ? "resumed" : "started";
    case "task.updated":
      return taskLine(event["task"] as Partial<WorkflowTask> | null | undefined, before);
    case "iteration.started":
      return iteration === undefined ? undefined : `→ iteration ${iteration}`;
    case "agent.switched":
      return `${field("from")} is out (${field("kind")}): ${field("to")} takes its turns`;
    case "agent.returned":
      return `${field("agent")} takes turns again`;
    case "review.finished":
      return `review ${field("round")}: ${field("verdict")}`;
    case "pull-request.made":
      return `pull request: ${field("url")}`;
    case "run.paused":
      return `paused (${field("reason")})${field("message") === "" ? "" : `: ${field("message")}`}`;
    case "run.finished":
      return field("outcome");
    default:
      return undefined;
  }
}

const marks: Readonly<Record<string, string>> = { completed: "✓", failed: "✗" };

/** Only its end is worth a line, and once. */
function taskLine(
  task: Partial<WorkflowTask> | null | undefined,
  before: WorkflowTask | undefined,
): string | undefined {
  const mark = marks[task?.status ?? ""];
  if (mark === undefined || before === undefined || before.status === task?.status) return undefined;
  const error = textOf(task?.error);
  return `${mark} task ${textOf(task?.id)}: ${textOf(task?.title ?? before.title)}${error === "" ? "" : ` (${error})`}`;
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return safeLine(typeof value === "string" ? value : JSON.stringify(value), 300);
}
