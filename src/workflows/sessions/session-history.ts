// What happened in a run, one line for each event that a user would want to know about later: tasks that ended,
// iterations, reviews, pauses. Bounded, so that a run of a hundred thousand iterations has a short one too.

import type {
  ForeignEvent,
  NoticeEvent,
  QuestionEvent,
  ResumeEvent,
  TurnEvent,
  VisitEvent,
  WorkEvent,
  WorktreeEvent,
} from "../../events/event-groups.ts";
import type { RunEvent } from "../../events/run-event.ts";
import { safeLine } from "../../lib/safe-text.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";

export interface HistoryLine {
  readonly at: number;
  readonly text: string;
}

const maxLines = 500;

export interface HistoryFacts {
  /** The task of a `task.updated`, as it was. */
  readonly before: WorkflowTask | undefined;
  /** Which one begins; undefined where tasks say more than their number. */
  readonly iteration: number | undefined;
}

export function nextHistory(
  history: readonly HistoryLine[],
  event: RunEvent,
  facts: HistoryFacts,
): readonly HistoryLine[] {
  const text = lineOf(event, facts);
  if (text === undefined) return history;
  // All at once, because each removal moves all others.
  const kept = history.slice(history.length > maxLines * 1.2 ? -maxLines : 0);
  kept.push({ at: event.at, text });
  return kept;
}

export function historyTail(history: readonly HistoryLine[]): readonly HistoryLine[] {
  return history.slice(-maxLines);
}

function lineOf(event: RunEvent, { before, iteration }: HistoryFacts): string | undefined {
  switch (event.type) {
    case "run.started":
      return event.resumed ? "resumed" : "started";
    case "task.updated":
      return taskLine(event.task, before);
    case "iteration.started":
      return iteration === undefined ? undefined : `→ iteration ${iteration}`;
    case "agent.switched":
      return `${shown(event.from)} is out (${shown(event.kind)}): ${shown(event.to)} takes its turns`;
    case "agent.returned":
      return `${shown(event.agent)} takes turns again`;
    case "review.finished":
      return `review ${event.round}: ${shown(event.verdict)}`;
    case "pull-request.made":
      return `pull request: ${shown(event.url ?? "")}`;
    case "run.paused":
      return `paused (${event.reason})${event.message === undefined ? "" : `: ${shown(event.message)}`}`;
    case "run.finished":
      return event.outcome;
    default:
      event satisfies
        | VisitEvent
        | ResumeEvent
        | QuestionEvent
        | TurnEvent
        | NoticeEvent
        | WorkEvent
        | WorktreeEvent
        | ForeignEvent;
      return undefined;
  }
}

const marks: Readonly<Record<string, string>> = { completed: "✓", failed: "✗" };

/** Only its end is worth a line, and once. */
function taskLine(task: WorkflowTask, before: WorkflowTask | undefined): string | undefined {
  const mark = marks[task.status];
  if (mark === undefined || before === undefined || before.status === task.status) return undefined;
  const error = task.error === undefined || task.error === "" ? "" : ` (${shown(task.error)})`;
  return `${mark} task ${shown(task.id)}: ${shown(task.title)}${error}`;
}

function shown(text: string): string {
  return safeLine(text, 300);
}
