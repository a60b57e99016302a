// A run as lines for a user or a log file: a fold of its events. One line per event, no cursor
// movements, no colours: it reads the same in a terminal, in a file and in CI.

import { counted } from "../../lib/counted.ts";
import { localTime } from "../../lib/local-time.ts";
import type {
  ForeignEvent,
  LifeEvent,
  ResumeEvent,
  TurnEvent,
  VisitEvent,
  WorkEvent,
} from "../../events/event-groups.ts";
import type { RunEvent, RunEventOf } from "../../events/run-event.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { readTasks } from "../../tasks/read-task.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { formatCost, formatDuration, titleOf } from "../../workflows/sessions/progress-text.ts";
import { createSessionView, nextView, type SessionView, totalsOf } from "../../workflows/sessions/session-view.ts";
import { questionText } from "./question-text.ts";
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

/** The phase whose node is done: a run that is resumed after it does not announce it again. */
function finishedPhase({ phase, descriptions, nodes }: SessionView): string | undefined {
  const own = [...nodes.values()].filter(({ node }) => descriptions[node] === phase);
  return own.some(({ state }) => state !== "finished") ? undefined : phase;
}

/** `known`: the run so far, when it is resumed. It is folded further here. */
export function createTextPrinter({ progress, result }: TextOutput, known?: SessionView): RunPrinter {
  let view = known;
  let phase = known === undefined ? undefined : finishedPhase(known);
  let lastQuestions: ReadonlySet<string> = new Set();
  const statuses = new Map([...(known?.tasks ?? [])].map(([id, task]) => [id, task.status]));

  function print(text: string): void {
    lastQuestions = new Set();
    progress(text);
  }

  function event(run: string, event: RunEvent): void {
    const questionsBefore = lastQuestions;
    view = nextView(view ?? createSessionView(run), event);
    const line = lineOf(event, view);
    // The current phase of a resumed run comes after the line that says that it was resumed.
    if (event.type === "run.started" && line !== undefined) print(line);
    if (view.phase !== phase && view.phase !== undefined) print(`▸ ${safeLine(view.phase)}`);
    phase = view.phase;
    printTasks(view, changedTasks(event));
    if (event.type === "report.written") {
      print("");
      result(reportText(event.report));
    }
    if (event.type !== "run.started" && line !== undefined) print(line);
    if (event.type === "question.asked") lastQuestions = new Set([...questionsBefore, event.question.id]);
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

  return { event, lastQuestions: () => lastQuestions };
}

/** Ids of the tasks that an event is about: looking at all of them for each would take hours for a long list. */
function changedTasks(event: RunEvent): readonly string[] {
  if (event.type === "task.updated") return [event.task.id];
  return event.type === "node.finished" ? readTasks(event.update?.["tasks"]).map(({ id }) => id) : [];
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
  const tasks = total === 0 ? [] : [`${view.completedTasks} of ${counted(total, "task")}`];
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

function lineOf(event: RunEvent, view: SessionView): string | undefined {
  switch (event.type) {
    case "run.started":
      return startLines(event, view);
    case "iteration.started":
      return iterationLine(view);
    case "verify.finished": {
      const about = shown(event.task) === "" ? "" : ` (task ${shown(event.task)})`;
      const how = event.exitCode === null ? `ended by ${shown(event.endedBy) || "a signal"}` : `exit ${event.exitCode}`;
      return `  check ${shown(event.command)}: ${how}${about}`;
    }
    case "review.finished":
      return reviewLines(event);
    case "question.asked":
      return questionLines(event, view);
    case "question.answered":
      return `  answered: ${safeLine(JSON.stringify(event.answer), 200)}`;
    case "limit.waiting":
      return event.kind === "rate_limited"
        ? `… waits for a rate limit until ${localTime(event.until)} (${shown(event.message)})`
        : `… the model's service is unavailable; retrying at ${localTime(event.until)} (${shown(event.message)})`;
    case "agent.model-substituted":
      return `! ${shown(event.agent)}: the model ${shown(event.served)} answered instead of ${shown(event.asked)}`;
    case "agent.limits-ignored":
      return `! ${shown(event.backend)} can't limit "${shown(event.agent)}" to ${listed(event.limits)}: ${shown(event.reason)}`;
    case "agent.subagents-ignored":
      return `! ${shown(event.backend)} can't be offered the sub-agents ${listed(event.agents)}: ${shown(event.reason)}`;
    case "agent.switched": {
      const until = event.until === null ? "" : ` until ${localTime(event.until)}`;
      const why = outageWords[event.kind] ?? "can't take turns";
      return `! ${shown(event.from)} ${why}${until}; ${shown(event.to)} takes its turns (${shown(event.message)})`;
    }
    case "agent.returned":
      return `  ${shown(event.agent)} takes turns again`;
    case "agent.session-lost":
      return `! the agent can't continue ${sessionName(event.session)}; a new one starts without its memory`;
    case "agent.turn-finished":
      return event.outcome === "failed"
        ? `! ${shown(event.agent)}: ${shown(event.failure?.message) || "failed"}`
        : undefined;
    case "node.failed": {
      const again = event.retryAt === undefined ? "" : `; tries again at ${localTime(event.retryAt)}`;
      return `! ${shown(event.node)}: ${shown(event.error.message) || "failed"}${again}`;
    }
    case "run.warned":
      return `! ${shown(event.message)}`;
    case "work.kept":
      return keptLine(event);
    case "isolation.chosen":
      return event.mode === "trees" ? isolationLines(event) : `  workers share your folder: ${shown(event.reason)}`;
    case "landing.conflicted":
      return `  task ${shown(event.task)} conflicts with what landed meanwhile (${listed(event.files)}); its worker resolves that`;
    case "work.not-landed":
      return event.files
        .map(
          ({ file, why }) => `! task ${shown(event.task)} changed ${shown(file)}, which does not land: ${shown(why)}`,
        )
        .join("\n");
    case "work.delivered":
      return deliveryLine(event, view.id);
    case "worktree.set-up":
      return setUpLines(event);
    case "worktree.left":
      return `! a worker's folder could not be removed: ${shown(event.problem)}`;
    case "write-back.failed":
      return `! the task list was not updated: ${shown(event.problem)}`;
    case "run.finished":
      return event.outcome === "completed" ? `Completed: ${progressOf(view)}` : undefined;
    default:
      event satisfies LifeEvent | VisitEvent | ResumeEvent | TurnEvent | WorkEvent | ForeignEvent;
      return undefined;
  }
}

function keptLine({ ref, nested, files = 0 }: RunEventOf<"work.kept">): string | undefined {
  if (typeof ref === "string") return `  your uncommitted work (${counted(files, "file")}) is kept under ${shown(ref)}`;
  if (typeof nested !== "string") return undefined;
  return `  your uncommitted work in repositories inside this one is kept under ${shown(nested)}`;
}

/** With tasks, their own lines show the progress; not each of many iterations is worth a line. */
function iterationLine(view: SessionView): string | undefined {
  const { iteration, maxIterations } = view;
  const every = 10 ** Math.max(0, Math.floor(Math.log10(iteration)) - 1);
  if (view.tasks.size > 0 || iteration % every !== 0) return undefined;
  return `· iteration ${iteration}${maxIterations > 0 ? ` of at most ${maxIterations}` : ""}  (${progressOf(view)})`;
}

function isolationLines({ dir, shared = [], linked = shared, notes = [] }: RunEventOf<"isolation.chosen">): string {
  const copied = shared.filter((name) => !linked.includes(name));
  return [
    `  each worker has a separate folder, in ${shown(dir)}`,
    ...(copied.length === 0 ? [] : [`  copied into each: ${listed(copied)}`]),
    ...(linked.length === 0 ? [] : [`! shared with your folder, also what workers write there: ${listed(linked)}`]),
    ...notes.map((note) => `! ${shown(note)}`),
  ].join("\n");
}

function setUpLines({ command, exitCode, output }: RunEventOf<"worktree.set-up">): string {
  const printed = output.trimEnd();
  const lines = printed === "" ? [] : printed.split("\n").map((line) => `    ${safeLine(line, 200)}`);
  return [`  ${shown(command)} in a new folder: exit ${exitCode ?? "by a signal"}`, ...lines].join("\n");
}

function deliveryLine(event: RunEventOf<"work.delivered">, run: string): string {
  const { target, files, ref, blocked, problem } = event;
  if (target === "tree") return `  ${counted(files, "file")} changed in your folder`;
  if (target === "none") return `  the work is kept under ${shown(ref)}; apply it with: atomic land ${run}`;
  const why = blocked.length === 0 ? shown(problem) : `you changed ${listed(blocked)} meanwhile`;
  return `  the work is on the branch ${shown(ref)}${why === "" ? "" : `, not in your folder: ${why}`}`;
}

function listed(texts: readonly string[]): string {
  return texts.map(shown).join(", ");
}

function sessionName(name: string | null | undefined): string {
  return typeof name === "string" ? `the session "${safeLine(name, 60)}"` : "its session";
}

function startLines({ resumed, sandbox = "off" }: RunEventOf<"run.started">, view: SessionView): string {
  const title = titleOf(safeLine(view.workflow, 60));
  const start = `${resumed ? "Resumed" : "Started"} ${title} session: ${view.id}`;
  const facts = `  agent ${safeLine(view.agent)}, folder ${safeLine(view.cwd)}, sandbox ${sandbox}`;
  return `${start}\n${facts}`;
}

function questionLines({ question: { id } }: RunEventOf<"question.asked">, view: SessionView): string {
  const question = view.questions.get(id);
  return question === undefined ? "" : `? ${questionText(question, view)}`;
}

function reviewLines({ round, verdict, findings }: RunEventOf<"review.finished">): string {
  const lines = findings.map(({ priority, title }) => `\n    ${shown(priority)} ${shown(title)}`);
  return `  review ${round}: ${shown(verdict)}${lines.join("")}`;
}

function shown(text: string | null | undefined): string {
  return text === undefined || text === null ? "" : safeLine(text, 500);
}
