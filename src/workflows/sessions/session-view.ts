// The view of a run: a pure fold of its events into immutable values, so a part that is the same
// object has not changed. The list of sessions, the projections on disk, the text output and the screen all show this;
// whether its process is alive is known elsewhere (see run-status.ts).

import type {
  AgentOrderEvent,
  ForeignEvent,
  NoticeEvent,
  ResumeEvent,
  TurnEvent,
  VisitEvent,
  WorkEvent,
  WorktreeEvent,
} from "../../events/event-groups.ts";
import { readEvent, type RunEvent, type RunEventOf, storedOf } from "../../events/run-event.ts";
import type { StoredEvent } from "../../journal/port.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { readTasks } from "../../tasks/read-task.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { takesFreeText } from "../graph/model/answer-value.ts";
import { nextSpending } from "../limits/run-spending.ts";
import { nextOutages } from "./agent-outages.ts";
import { nextAgentSessions } from "./agent-sessions.ts";
import { createSessionView, type OpenQuestionView, type SessionView } from "./empty-view.ts";
import { readShape } from "./graph-shape.ts";
import { nextHistory } from "./session-history.ts";
import { nextTurns } from "./turn-views.ts";
import { nextVisits } from "./visit-views.ts";

export { createSessionView, type OpenQuestionView, type SessionView, totalsOf } from "./empty-view.ts";

const keptEvents = 20;
const unshown: ReadonlySet<string> = new Set(["node.started", "attempt.noted", "agent.usage-reported"]);

/** All events of a run, folded. `until`: the last number that counts. */
export async function readView(
  id: string,
  events: AsyncIterable<StoredEvent> | Iterable<StoredEvent>,
  until = Number.POSITIVE_INFINITY,
): Promise<SessionView> {
  let view = createSessionView(id);
  for await (const stored of events) {
    if (stored.seq > until) break;
    view = nextView(view, readEvent(stored));
  }
  return view;
}

/** The view after one more event. The one before stays as it is. */
export function nextView(view: SessionView, event: RunEvent): SessionView {
  const spending = nextSpending(view.spending, event);
  const iteration = view.tasks.size === 0 ? spending.iterations : undefined;
  const before = event.type === "task.updated" ? view.tasks.get(event.task.id) : undefined;
  const { nodes, visits } = nextVisits(view, event);
  const { turns, spentByTask, spentByAgent, spentByModel, evidence } = nextTurns(view, event);
  const next = {
    ...view,
    nodes,
    visits,
    turns,
    spentByTask,
    spentByAgent,
    spentByModel,
    evidence,
    updatedAt: event.at,
    lastSeq: event.seq,
    spending,
    agentSessions: nextAgentSessions(view.agentSessions, event),
    outages: nextOutages(view.outages, event),
    iteration: spending.iterations,
    recent: unshown.has(event.type) ? view.recent : withLast(view.recent, storedOf(event)),
    history: nextHistory(view.history, event, { before, iteration }),
  };
  // Into the new object, and only where something changes: views are made for every event of a run.
  const changes = changesOf(view, event);
  return changes === undefined ? next : Object.assign(next, changes);
}

function withLast(recent: readonly StoredEvent[], event: StoredEvent): readonly StoredEvent[] {
  const kept = recent.slice(1 - keptEvents);
  kept.push(event);
  return kept;
}

/** Undefined when there are none. */
function changesOf(view: SessionView, event: RunEvent): Partial<SessionView> | undefined {
  switch (event.type) {
    case "run.started":
      return startChanges(view, event);
    case "node.started":
      return { phase: optionalText(view.descriptions[event.node]) ?? view.phase };
    case "node.finished":
      return taskChanges(view, readTasks(event.update?.["tasks"], view.tasks), event.at);
    case "task.updated":
      return taskChanges(view, [event.task], event.at);
    case "work.started":
      return { mode: optionalText(event.mode) };
    case "pull-request.made":
      return { pullRequest: { url: optionalText(event.url), branch: optionalText(event.branch) } };
    case "question.asked":
      return { questions: view.questions.set(event.question.id, openQuestion(event)) };
    case "question.answered":
      return { questions: view.questions.delete(event.question) };
    case "limit.waiting":
      return { waitingUntil: event.until, waitingFor: optionalText(event.kind) };
    case "agent.turn-started":
      // A turn that starts shows that the limit is over.
      return { waitingUntil: undefined };
    case "report.written":
      return { report: event.report };
    case "run.paused":
      return { status: "paused", reason: event.reason, message: optionalText(event.message ?? event.problem) };
    case "run.finished":
      return {
        status: event.outcome,
        message: optionalText(event.error?.message),
        waitingUntil: undefined,
        // A failed run can be resumed, and still asks then.
        ...(event.outcome !== "failed" && { questions: PersistentMap.empty() }),
      };
    default:
      event satisfies
        | VisitEvent
        | ResumeEvent
        | TurnEvent
        | NoticeEvent
        | AgentOrderEvent
        | WorkEvent
        | WorktreeEvent
        | ForeignEvent;
      return undefined;
  }
}

function startChanges(view: SessionView, event: RunEventOf<"run.started">): Partial<SessionView> {
  const now = {
    status: "running",
    reason: undefined,
    message: undefined,
    agent: optionalText(event.agent) ?? view.agent,
    maxIterations: event.maxIterations ?? view.maxIterations,
  } as const;
  if (event.resumed) return now;
  return {
    ...now,
    workflow: event.workflow ?? "",
    prompt: event.prompt ?? "",
    cwd: event.cwd ?? "",
    taskSource: optionalText(event.taskSource),
    forkedFrom: event.forkedFrom,
    options: event.options ?? {},
    graph: readShape(event.shape),
    descriptions: event.descriptions ?? {},
    createdAt: event.at,
    ...taskChanges(view, readTasks(event.state?.["tasks"]), event.at),
  };
}

/** Tasks come as separate events, or with the state of a workflow that keeps a list of them. */
function taskChanges(
  view: SessionView,
  changed: readonly WorkflowTask[],
  at: number,
): Pick<SessionView, "tasks" | "completedTasks" | "completedAt"> {
  let { tasks, completedTasks, completedAt } = view;
  for (const task of changed) {
    const known = tasks.get(task.id);
    // Most workflows report their whole list again with what changed in it.
    if (known !== undefined && hasAll({ ...known }, { ...task })) continue;
    const now = withoutOldError({ ...known, ...task });
    tasks = tasks.set(task.id, now);
    completedTasks += Number(now.status === "completed") - Number(known?.status === "completed");
    if (now.status !== "completed") completedAt = completedAt.delete(task.id);
    else if (known !== undefined && known.status !== "completed") completedAt = completedAt.set(task.id, at);
  }
  return { tasks, completedTasks, completedAt };
}

/** Whether what is reported of a task is known already. */
function hasAll(known: Readonly<Record<string, unknown>>, reported: Readonly<Record<string, unknown>>): boolean {
  for (const name in reported) if (!Object.is(known[name], reported[name])) return false;
  return true;
}

/** A task that is tried again, or done in the end, has no error any more. */
function withoutOldError(task: WorkflowTask): WorkflowTask {
  if (task.status === "failed" || task.error === undefined) return task;
  const { error: _, ...rest } = task;
  return rest;
}

function openQuestion({ question, node, key, name }: RunEventOf<"question.asked">): OpenQuestionView {
  const { id, text, header, options = [], multiSelect = false, default: declined } = question;
  return {
    id,
    ...(name === undefined || name.startsWith(`${key}?`) ? {} : { name }),
    text,
    ...(header === undefined ? {} : { header }),
    node,
    key,
    options: options.map((option) => (typeof option === "string" ? { label: option } : option)),
    multiSelect,
    freeText: takesFreeText(question),
    ...(declined === undefined ? {} : { default: declined }),
  };
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
