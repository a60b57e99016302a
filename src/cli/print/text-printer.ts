// A run as lines for a person or a log file: a fold of its events. One line per thing that happened, no cursor
// movements, no colours: it reads the same in a terminal, in a file and in CI.

import type { StoredEvent } from "../../journal/port.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { formatCost, formatDuration, titleOf } from "../../workflows/sessions/progress-text.ts";
import { createSessionView, foldSession, type SessionView, totalsOf } from "../../workflows/sessions/session-view.ts";
import { reportText } from "./report-text.ts";
import type { PrintLine, RunPrinter } from "./run-printer.ts";

const taskMarks: Readonly<Record<WorkflowTask["status"], string>> = {
  in_progress: "→",
  completed: "✓",
  failed: "✗",
  blocked: "⊘",
  pending: "↻",
};

export interface TextOutput {
  /** What happens, while it happens. */
  readonly progress: PrintLine;
  /** What came out: the report. */
  readonly result: PrintLine;
}

/** `known`: the run so far, when it is resumed. It is folded further here. */
export function createTextPrinter({ progress: print, result }: TextOutput, known?: SessionView): RunPrinter {
  let view = known;
  let phase: string | undefined;
  const statuses = new Map([...(known?.tasks ?? [])].map(([id, task]) => [id, task.status]));

  function event(run: string, event: StoredEvent): void {
    view ??= createSessionView(run);
    foldSession(view, event);
    if (view.phase !== phase && view.phase !== undefined) print(`▸ ${safeLine(view.phase)}`);
    phase = view.phase;
    printTasks(view, changedTasks(event));
    if (event.type === "report.written") {
      print("");
      result(reportText(event["report"]));
    }
    const line = lineOf(event, view);
    if (line !== undefined) print(line);
  }

  function printTasks(now: SessionView, ids: readonly string[]): void {
    for (const id of ids) {
      const task = now.tasks.get(id);
      const before = statuses.get(id);
      if (task === undefined || before === task.status) continue;
      statuses.set(task.id, task.status);
      // A task that is only planned is counted, not announced.
      if (before !== undefined || task.status !== "pending") print(taskLine(task, now));
    }
  }

  return { event };
}

/** Ids of the tasks that an event is about: looking at all of them for each would take hours for a long list. */
function changedTasks(event: StoredEvent): readonly string[] {
  const update = event.type === "node.finished" ? (event["update"] as JsonObject | undefined) : undefined;
  const tasks = event.type === "task.updated" ? [event["task"]] : update?.["tasks"];
  if (!Array.isArray(tasks)) return [];
  return (tasks as readonly Json[]).flatMap((task) => {
    const id = typeof task === "object" && task !== null && "id" in task ? task.id : undefined;
    return typeof id === "string" ? [id] : [];
  });
}

function taskLine(task: WorkflowTask, view: SessionView): string {
  const text = `${taskMarks[task.status]} ${safeLine(task.id, 40)}  ${safeLine(task.title)}`;
  const error = task.error === undefined ? "" : `: ${safeLine(task.error, 300)}`;
  return task.status === "completed" ? `${text}  (${progressOf(view)})` : `${text}${error}`;
}

/** `3 of 5 tasks, $0.0123, 1m 2s` */
function progressOf(view: SessionView): string {
  const totals = totalsOf(view);
  const total = view.tasks.size;
  const tasks = total === 0 ? [] : [`${view.completedTasks} of ${total} tasks`];
  const cost = totals.turns === 0 && totals.costUsd === 0 ? [] : [formatCost(totals)];
  return [...tasks, ...cost, formatDuration(totals.activeMs)].join(", ");
}

const outageWords: Readonly<Record<string, string>> = {
  rate_limited: "has reached a rate limit",
  overloaded: "is overloaded",
  auth: "is not logged in",
  budget: "has reached a spending limit",
  unavailable: "can't be started",
};

function lineOf(event: StoredEvent, view: SessionView): string | undefined {
  const field = (name: string): string => shown(event[name]);
  switch (event.type) {
    case "run.started":
      return startLines(event, view);
    case "iteration.started":
      return iterationLine(view);
    case "verify.finished": {
      const about = shown(event["task"]) === "" ? "" : ` (task ${field("task")})`;
      const how =
        event["exitCode"] === null ? `ended by ${field("endedBy") || "a signal"}` : `exit ${field("exitCode")}`;
      return `  check ${field("command")}: ${how}${about}`;
    }
    case "review.finished":
      return reviewLines(event);
    case "question.asked":
      return questionLines(event, view);
    case "question.answered":
      return `  answered: ${safeLine(JSON.stringify(event["answer"]), 200)}`;
    case "limit.waiting":
      return event["kind"] === "rate_limited"
        ? `… waits for a rate limit until ${timeOf(event["until"])} (${field("message")})`
        : `… the model's service can't be used now; tries again at ${timeOf(event["until"])} (${field("message")})`;
    case "agent.model-substituted":
      return `! ${field("agent")}: the model ${field("served")} answered instead of ${field("asked")}`;
    case "agent.limits-ignored":
      return `! ${field("backend")} can't limit "${field("agent")}" to ${shownList(event["limits"])}: ${field("reason")}`;
    case "agent.session-lost":
      return `! the agent can't continue ${sessionName(event["session"])}; a new one starts without its memory`;
    case "agent.switched": {
      const until = typeof event["until"] === "number" ? ` until ${timeOf(event["until"])}` : "";
      const why = outageWords[field("kind")] ?? "can't take turns";
      return `! ${field("from")} ${why}${until}; ${field("to")} takes its turns (${field("message")})`;
    }
    case "agent.returned":
      return `  ${field("agent")} takes turns again`;
    case "agent.turn-finished":
      return event["outcome"] === "failed" ? `! ${field("agent")}: ${messageIn(event["failure"])}` : undefined;
    case "node.failed": {
      const again = event["retryAt"] === undefined ? "" : `; tries again at ${timeOf(event["retryAt"])}`;
      return `! ${field("node")}: ${messageIn(event["error"])}${again}`;
    }
    case "run.warned":
      return `! ${field("message")}`;
    case "work.kept":
      if (typeof event["ref"] === "string")
        return `  your uncommitted work (${field("files")} ${event["files"] === 1 ? "file" : "files"}) is kept under ${field("ref")}`;
      return typeof event["nested"] === "string"
        ? `  your uncommitted work in repositories inside this one is kept under ${field("nested")}`
        : undefined;
    case "isolation.chosen":
      return event["mode"] === "trees"
        ? `  each worker has a folder of its own, in ${field("dir")}`
        : `  workers share your folder: ${field("reason")}`;
    case "landing.conflicted":
      return `  task ${field("task")} conflicts with what landed meanwhile (${shownList(event["files"])}); its worker resolves that`;
    case "work.delivered":
      return deliveryLine(event);
    case "worktree.left":
      return `! a worker's folder could not be removed: ${field("problem")}`;
    case "write-back.failed":
      return `! the task list was not updated: ${field("problem")}`;
    case "run.finished":
      return event["outcome"] === "completed" ? `Completed: ${progressOf(view)}` : undefined;
    default:
      return undefined;
  }
}

/** With tasks, their own lines say what goes on; of many iterations, not each is worth a line. */
function iterationLine(view: SessionView): string | undefined {
  const { iteration, maxIterations } = view;
  const every = 10 ** Math.max(0, Math.floor(Math.log10(iteration)) - 1);
  if (view.tasks.size > 0 || iteration % every !== 0) return undefined;
  return `· iteration ${iteration}${maxIterations > 0 ? ` of at most ${maxIterations}` : ""}  (${progressOf(view)})`;
}

function deliveryLine(event: StoredEvent): string | undefined {
  if (event["target"] === "tree") return `  ${counted(event["files"], "file")} changed in your folder`;
  if (event["target"] === "none") return `  the work is kept under ${shown(event["ref"])}`;
  const blocked = shownList(event["blocked"]);
  const why = blocked === "" ? shown(event["problem"]) : `you changed ${blocked} meanwhile`;
  return `  the work is on the branch ${shown(event["ref"])}${why === "" ? "" : `, not in your folder: ${why}`}`;
}

function counted(count: Json | undefined, what: string): string {
  return `${shown(count)} ${what}${count === 1 ? "" : "s"}`;
}

function shownList(value: Json | undefined): string {
  return Array.isArray(value) ? value.map(shown).join(", ") : "";
}

function sessionName(name: Json | undefined): string {
  return typeof name === "string" ? `the session "${safeLine(name, 60)}"` : "its session";
}

function startLines(event: StoredEvent, view: SessionView): string {
  const title = titleOf(safeLine(view.workflow, 60));
  const start = `${event["resumed"] === true ? "Resumed" : "Started"} ${title} session: ${view.id}`;
  const facts = `  agent ${safeLine(view.agent)}, folder ${safeLine(view.cwd)}`;
  return `${start}\n${facts}`;
}

function questionLines(event: StoredEvent, view: SessionView): string {
  const { id } = event["question"] as { readonly id: string };
  const question = view.questions.get(id);
  const options = question?.options.map((option) => `\n    - ${safeLine(option)}`).join("") ?? "";
  const how = `\n  answer with: atomic answer ${view.id} --question '${safeLine(id)}' VALUE`;
  return `? ${safeText(question?.text ?? "")}${options}${how}`;
}

function reviewLines(event: StoredEvent): string {
  const findings = Array.isArray(event["findings"]) ? (event["findings"] as readonly Json[]) : [];
  const lines = findings.map((finding) => {
    const { priority, title } = (finding ?? {}) as { readonly priority?: Json; readonly title?: Json };
    return `\n    ${shown(priority)} ${shown(title)}`;
  });
  return `  review ${shown(event["round"])}: ${shown(event["verdict"])}${lines.join("")}`;
}

function messageIn(value: Json | undefined): string {
  const message = typeof value === "object" && value !== null && "message" in value ? value.message : undefined;
  return shown(message) || "failed";
}

function shown(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return safeLine(typeof value === "string" ? value : JSON.stringify(value), 500);
}

function timeOf(value: unknown): string {
  return typeof value === "number" ? new Date(value).toISOString() : "an unknown time";
}
