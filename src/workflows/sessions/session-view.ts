// What a person wants to know of a run: a pure fold of its events. The list of sessions, the projections on disk, the
// text output and the screen all show this; whether its process is alive is known elsewhere (see session-status.ts).

import type { Json, JsonObject } from "../../lib/json.ts";
import type { StoredEvent } from "../../journal/port.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { RunLedger, type RunTotals } from "../limits/run-ledger.ts";
import { type AgentOutages, foldOutages } from "./agent-outages.ts";
import { type AgentSessions, foldAgentSessions } from "./agent-sessions.ts";
import { foldHistory, type HistoryLine } from "./session-history.ts";

export interface OpenQuestionView {
  readonly id: string;
  readonly text: string;
  readonly node: string;
  readonly options: readonly string[];
}

export interface SessionView {
  readonly id: string;
  workflow: string;
  agent: string;
  prompt: string;
  cwd: string;
  /** The file its tasks come from. */
  taskSource: string | undefined;
  /** The run that this one was forked from, and the last event it has of it. */
  forkedFrom: { readonly run: string; readonly seq: number } | undefined;
  /** How it works, in the workflow's own words. */
  mode: string | undefined;
  createdAt: number;
  updatedAt: number;
  /** As the last event says; `running` may be a process that was killed. */
  status: "running" | "paused" | "completed" | "failed" | "cancelled";
  reason: string | undefined;
  /** What went wrong, or why it paused, in words. */
  message: string | undefined;
  /** What it does now, in the workflow's own words. */
  phase: string | undefined;
  iteration: number;
  maxIterations: number;
  options: JsonObject;
  /** What to show while a node runs. */
  descriptions: JsonObject;
  readonly tasks: Map<string, WorkflowTask>;
  /** How many of the tasks are completed. */
  completedTasks: number;
  /** When tasks were completed, by id. */
  readonly completedAt: Map<string, number>;
  /** What happened, line by line; the oldest lines go. */
  readonly history: HistoryLine[];
  pullRequest: { readonly url: string | undefined; readonly branch: string | undefined } | undefined;
  readonly questions: Map<string, OpenQuestionView>;
  /** A rate limit is waited for until then. */
  waitingUntil: number | undefined;
  /** What is waited for: the kind of failure that came before. */
  waitingFor: string | undefined;
  readonly ledger: RunLedger;
  /** What a later process continues. */
  readonly agentSessions: AgentSessions;
  /** Agents that are out, by kind. */
  readonly outages: AgentOutages;
  report: Json | undefined;
  readonly recent: StoredEvent[];
}

const keptEvents = 20;
const unshown: ReadonlySet<string> = new Set(["node.started", "attempt.noted", "agent.usage-reported"]);

export function createSessionView(id: string): SessionView {
  return {
    id,
    workflow: "",
    agent: "",
    prompt: "",
    cwd: "",
    taskSource: undefined,
    forkedFrom: undefined,
    mode: undefined,
    createdAt: 0,
    updatedAt: 0,
    status: "running",
    reason: undefined,
    message: undefined,
    phase: undefined,
    iteration: 0,
    maxIterations: 0,
    options: {},
    descriptions: {},
    tasks: new Map(),
    completedTasks: 0,
    completedAt: new Map(),
    history: [],
    pullRequest: undefined,
    questions: new Map(),
    waitingUntil: undefined,
    waitingFor: undefined,
    ledger: new RunLedger(),
    agentSessions: new Map(),
    outages: new Map(),
    report: undefined,
    recent: [],
  };
}

/** Takes one event in. The view is changed in place: there is one reader, and a run has many events. */
export function foldSession(view: SessionView, event: StoredEvent): void {
  view.updatedAt = event.at;
  view.ledger.add(event);
  foldAgentSessions(view.agentSessions, event);
  foldOutages(view.outages, event);
  view.iteration = view.ledger.iterations;
  if (!unshown.has(event.type)) {
    view.recent.push(event);
    if (view.recent.length > keptEvents) view.recent.shift();
  }
  const iteration = view.tasks.size === 0 ? view.iteration : undefined;
  foldHistory(view.history, event, { before: taskBefore(view, event), iteration });
  if (event.type !== "limit.waiting") view.waitingUntil = stillWaiting(view, event);
  switch (event.type) {
    case "run.started":
      return foldStart(view, event);
    case "node.started":
      view.phase = optionalText(view.descriptions[text(event["node"])]) ?? view.phase;
      return;
    case "node.finished":
      foldTasks(view, (event["update"] as JsonObject | undefined)?.["tasks"], event.at);
      return;
    case "task.updated":
      foldTasks(view, [event["task"] as Json], event.at);
      return;
    case "work.started":
      view.mode = optionalText(event["mode"]);
      return;
    case "pull-request.made":
      view.pullRequest = { url: optionalText(event["url"]), branch: optionalText(event["branch"]) };
      return;
    case "question.asked":
      return foldQuestion(view, event);
    case "question.answered":
      view.questions.delete(text(event["question"]));
      return;
    case "limit.waiting":
      view.waitingUntil = event["until"] as number;
      view.waitingFor = optionalText(event["kind"]);
      return;
    case "report.written":
      view.report = event["report"];
      return;
    case "run.paused":
      view.status = "paused";
      view.reason = text(event["reason"]);
      view.message = optionalText(event["message"] ?? event["problem"]);
      return;
    case "run.finished":
      view.status = text(event["outcome"]) as SessionView["status"];
      view.message = optionalText((event["error"] as JsonObject | undefined)?.["message"]);
      // A failed run can be resumed, and still asks then.
      if (view.status !== "failed") view.questions.clear();
      return;
    default:
      return;
  }
}

function foldStart(view: SessionView, event: StoredEvent): void {
  view.status = "running";
  view.reason = undefined;
  view.message = undefined;
  view.agent = optionalText(event["agent"]) ?? view.agent;
  if (typeof event["maxIterations"] === "number") view.maxIterations = event["maxIterations"];
  if (event["resumed"] === true) return;
  view.workflow = text(event["workflow"]);
  view.prompt = text(event["prompt"]);
  view.cwd = text(event["cwd"]);
  view.taskSource = optionalText(event["taskSource"]);
  view.forkedFrom = forkOf(event["forkedFrom"]);
  view.options = (event["options"] ?? {}) as JsonObject;
  view.descriptions = (event["descriptions"] ?? {}) as JsonObject;
  view.createdAt = event.at;
  foldTasks(view, (event["state"] as JsonObject | undefined)?.["tasks"], event.at);
}

/** Tasks come as events of their own, or with the state of a workflow that keeps a list of them. */
function foldTasks(view: SessionView, tasks: Json | undefined, at: number): void {
  if (!Array.isArray(tasks)) return;
  for (const task of tasks as readonly (Partial<WorkflowTask> | null)[]) {
    if (typeof task?.id !== "string") continue;
    const known = view.tasks.get(task.id);
    const now = withoutOldError({ title: task.id, status: "pending", ...known, ...task, id: task.id });
    view.tasks.set(task.id, now);
    view.completedTasks += Number(now.status === "completed") - Number(known?.status === "completed");
    if (now.status !== "completed") view.completedAt.delete(task.id);
    else if (known !== undefined && known.status !== "completed") view.completedAt.set(task.id, at);
  }
}

function taskBefore(view: SessionView, event: StoredEvent): WorkflowTask | undefined {
  const task = event.type === "task.updated" ? (event["task"] as Partial<WorkflowTask> | null) : undefined;
  return typeof task?.id === "string" ? view.tasks.get(task.id) : undefined;
}

/** A task that is tried again, or done in the end, has no error any more. */
function withoutOldError(task: WorkflowTask): WorkflowTask {
  if (task.status === "failed" || task.error === undefined) return task;
  const { error: _, ...rest } = task;
  return rest;
}

function foldQuestion(view: SessionView, event: StoredEvent): void {
  const question = event["question"] as JsonObject;
  const options = (question["options"] ?? []) as readonly (string | JsonObject)[];
  view.questions.set(text(question["id"]), {
    id: text(question["id"]),
    text: text(question["text"]),
    node: text(event["node"]),
    options: options.map((option) => (typeof option === "string" ? option : text(option["label"]))),
  });
}

/** A turn that starts shows that the limit is over. */
function stillWaiting(view: SessionView, event: StoredEvent): number | undefined {
  return event.type === "agent.turn-started" || event.type === "run.finished" ? undefined : view.waitingUntil;
}

export function totalsOf(view: SessionView): RunTotals {
  return view.ledger.totals(view.updatedAt);
}

function forkOf(value: Json | undefined): SessionView["forkedFrom"] {
  if (typeof value !== "object" || value === null || !("run" in value) || !("seq" in value)) return undefined;
  const { run, seq } = value;
  return typeof run === "string" && typeof seq === "number" ? { run, seq } : undefined;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function optionalText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
