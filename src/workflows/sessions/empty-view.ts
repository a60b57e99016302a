// The shape of a run's view, and its value before the first event. Loads no fold: a list of runs needs none.

import type { StoredEvent } from "../../journal/port.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { nothingSpent, type RunSpending, type RunTotals, runTotals } from "../limits/run-spending.ts";
import type { AgentOutages } from "./agent-outages.ts";
import type { AgentSessions } from "./agent-sessions.ts";
import type { RecordedGraph } from "./graph-shape.ts";
import type { LiveView } from "./live-view.ts";
import type { HistoryLine } from "./session-history.ts";
import type { Turns } from "./turn-views.ts";
import type { VisitViews } from "./visit-views.ts";

/** Everything that a dialog needs to ask it. */
export interface OpenQuestionView {
  readonly id: string;
  /** The id its author gave it, where another question had that one already. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly header?: string | undefined;
  readonly node: string;
  readonly key: string;
  readonly options: readonly QuestionOptionView[];
  readonly multiSelect: boolean;
  /** Free text is accepted as well as the options. */
  readonly freeText: boolean;
  /** What it gets when it is declined; undefined: it can't be. */
  readonly default?: Json | undefined;
}

export interface QuestionOptionView {
  readonly label: string;
  readonly description?: string | undefined;
}

export interface SessionView extends VisitViews, Turns {
  readonly id: string;
  readonly workflow: string;
  readonly agent: string;
  readonly prompt: string;
  readonly cwd: string;
  /** The file its tasks come from. */
  readonly taskSource: string | undefined;
  /** The run that this one was forked from, and the last event it has of it. */
  readonly forkedFrom: { readonly run: string; readonly seq: number } | undefined;
  /** How it works, in the workflow's own words. */
  readonly mode: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The number of the last event that is folded in. */
  readonly lastSeq: number;
  /** As the last event says; `running` may be a process that was killed. */
  readonly status: "running" | "paused" | "completed" | "failed" | "cancelled";
  readonly reason: string | undefined;
  /** What went wrong, or why it paused, in words. */
  readonly message: string | undefined;
  /** What it does now, in the workflow's own words. */
  readonly phase: string | undefined;
  readonly iteration: number;
  readonly maxIterations: number;
  readonly options: JsonObject;
  /** Its nodes and edges, as it was started. */
  readonly graph: RecordedGraph | undefined;
  /** What to show while a node runs. */
  readonly descriptions: JsonObject;
  readonly tasks: PersistentMap<WorkflowTask>;
  /** How many of the tasks are completed. */
  readonly completedTasks: number;
  /** When tasks were completed, by id. */
  readonly completedAt: PersistentMap<number>;
  /** What happened, line by line; the oldest lines are dropped. */
  readonly history: readonly HistoryLine[];
  readonly pullRequest: { readonly url: string | undefined; readonly branch: string | undefined } | undefined;
  readonly questions: PersistentMap<OpenQuestionView>;
  /** A rate limit is waited for until then. */
  readonly waitingUntil: number | undefined;
  /** What is waited for: the kind of failure that came before. */
  readonly waitingFor: string | undefined;
  readonly spending: RunSpending;
  /** What a later process continues. */
  readonly agentSessions: AgentSessions;
  /** Agents that are out, by kind. */
  readonly outages: AgentOutages;
  /** What agents of this process do at the moment: their current tools and sub-agents. Not part of the record. */
  readonly live: LiveView;
  readonly report: Json | undefined;
  readonly recent: readonly StoredEvent[];
}

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
    lastSeq: 0,
    status: "running",
    reason: undefined,
    message: undefined,
    phase: undefined,
    iteration: 0,
    maxIterations: 0,
    options: {},
    graph: undefined,
    descriptions: {},
    tasks: PersistentMap.empty(),
    completedTasks: 0,
    completedAt: PersistentMap.empty(),
    history: [],
    pullRequest: undefined,
    questions: PersistentMap.empty(),
    waitingUntil: undefined,
    waitingFor: undefined,
    spending: nothingSpent,
    agentSessions: PersistentMap.empty(),
    outages: PersistentMap.empty(),
    live: PersistentMap.empty(),
    report: undefined,
    recent: [],
    nodes: PersistentMap.empty(),
    visits: PersistentMap.empty(),
    turns: PersistentMap.empty(),
    spentByTask: PersistentMap.empty(),
    spentByAgent: PersistentMap.empty(),
    spentByModel: PersistentMap.empty(),
    evidence: PersistentMap.empty(),
  };
}

export function totalsOf(view: SessionView): RunTotals {
  return runTotals(view.spending, view.updatedAt);
}
