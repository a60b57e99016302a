// The turns of a run's agents: those under way, by worker, and what each took; what every task and every agent took in
// all; and the checks that speak for a task. Part of the view.

import type {
  AgentOrderEvent,
  ForeignEvent,
  NoticeEvent,
  QuestionEvent,
  ResumeEvent,
  VisitEvent,
  WorkEvent,
  WorktreeEvent,
} from "../../events/event-groups.ts";
import type { RunEvent, RunEventOf } from "../../events/run-event.ts";
import type { PersistentMap } from "../../lib/persistent-map.ts";
import { addAmounts, type Amounts, amountsOf, noAmounts } from "../limits/amounts.ts";
import { atLeast } from "../limits/run-spending.ts";

export interface TurnView {
  readonly turn: string;
  readonly agent: string;
  readonly node: string | undefined;
  readonly key: string | undefined;
  readonly task: string | undefined;
  readonly worker: number | undefined;
  readonly session: string | undefined;
  readonly modelAsked: string | undefined;
  readonly modelServed: string | undefined;
  readonly startedAt: number;
  /** Undefined while it is under way. */
  readonly outcome: "completed" | "failed" | "interrupted" | undefined;
  readonly used: Amounts;
  readonly durationMs: number | undefined;
}

export interface Spent extends Amounts {
  readonly turns: number;
}

/** What one agent spent on one model. */
export interface ModelSpent extends Spent {
  readonly agent: string;
  /** Undefined: the agent did not say. */
  readonly model: string | undefined;
  /** What is known of the cost is `costUsd`; so many turns did not say what they cost. */
  readonly turnsWithoutCost: number;
  /** How long its turns took, those at the same time counted each. */
  readonly durationMs: number;
}

/** A check that ran for a task, or for the whole run. */
export interface Evidence {
  readonly at: number;
  readonly command: string;
  readonly exitCode: number | null;
  readonly endedBy: string | undefined;
  /** What the folder held, as a hash. */
  readonly tree: string | undefined;
}

export interface Turns {
  /** By id: those under way, and the newest of those that ended. */
  readonly turns: PersistentMap<TurnView>;
  readonly spentByTask: PersistentMap<Spent>;
  readonly spentByAgent: PersistentMap<Spent>;
  readonly spentByModel: PersistentMap<ModelSpent>;
  /** By task; under "" what was checked for the whole run. */
  readonly evidence: PersistentMap<readonly Evidence[]>;
}

const maxTurns = 500;
const maxEvidence = 20;

export function liveTurns(view: Pick<Turns, "turns">): readonly TurnView[] {
  return [...view.turns.values()].filter(({ outcome }) => outcome === undefined);
}

export function nextTurns(view: Turns, event: RunEvent): Turns {
  switch (event.type) {
    case "agent.turn-started":
      return event.turn === undefined ? view : withTurn(view, startedTurn(event.turn, event));
    case "agent.usage-reported": {
      const turn = view.turns.get(event.turn ?? "");
      return turn === undefined ? view : withTurn(view, { ...turn, used: atLeast(amountsOf(event.usage), turn.used) });
    }
    case "agent.turn-finished":
      return finished(view, event);
    case "verify.finished":
      return withEvidence(view, event);
    case "run.started":
    case "run.paused":
    case "run.finished":
      return interrupted(view);
    default:
      event satisfies
        | VisitEvent
        | ResumeEvent
        | QuestionEvent
        | NoticeEvent
        | AgentOrderEvent
        | WorkEvent
        | WorktreeEvent
        | ForeignEvent;
      return view;
  }
}

function startedTurn(turn: string, event: RunEventOf<"agent.turn-started" | "agent.turn-finished">): TurnView {
  return {
    turn,
    agent: event.agent,
    node: event.node,
    key: event.key,
    task: event.task ?? undefined,
    worker: event.worker,
    session: event.session ?? undefined,
    modelAsked: event.modelAsked ?? undefined,
    modelServed: undefined,
    startedAt: event.at,
    outcome: undefined,
    used: noAmounts,
    durationMs: undefined,
  };
}

function finished(view: Turns, event: RunEventOf<"agent.turn-finished">): Turns {
  const used = amountsOf(event.usage);
  const { turn = "", modelServed, durationMs, outcome } = event;
  const known = view.turns.get(turn);
  // What it had used was counted when its process stopped: `interrupted`.
  const isCounted = known?.outcome === "interrupted" && hasUsed(known.used);
  const ended = {
    ...(known ?? startedTurn(turn, event)),
    outcome,
    modelServed: modelServed ?? undefined,
    durationMs,
    used,
  };
  const spent = isCounted ? view : withSpent(view, ended);
  return event.turn === undefined ? spent : withTurn(spent, ended);
}

/** Adds what a turn took that has ended. */
function withSpent({ turns, evidence, ...spent }: Turns, turn: TurnView): Turns {
  const { task, agent, used } = turn;
  return {
    turns,
    evidence,
    spentByTask: task === undefined ? spent.spentByTask : spent.spentByTask.update(task, (known) => plus(known, used)),
    spentByAgent: spent.spentByAgent.update(agent, (known) => plus(known, used)),
    spentByModel: withModel(spent.spentByModel, turn),
  };
}

function plus(spent: Spent | undefined, used: Amounts): Spent {
  return { ...addAmounts(spent ?? noAmounts, used), turns: (spent?.turns ?? 0) + 1 };
}

function withModel(
  spent: Turns["spentByModel"],
  { agent, modelServed, modelAsked, durationMs, used }: TurnView,
): Turns["spentByModel"] {
  const model = modelServed ?? modelAsked;
  const key = JSON.stringify([agent, model ?? null]);
  return spent.update(key, (known) => ({
    ...plus(known, used),
    turnsWithoutCost: (known?.turnsWithoutCost ?? 0) + Number(used.costUsd === undefined),
    agent,
    model,
    durationMs: (known?.durationMs ?? 0) + (durationMs ?? 0),
  }));
}

function withEvidence(view: Turns, event: RunEventOf<"verify.finished">): Turns {
  const task = event.task ?? "";
  const { at, command, exitCode, endedBy, tree } = event;
  const all = [...(view.evidence.get(task) ?? []), { at, command, exitCode, endedBy, tree: tree ?? undefined }];
  const { turns, spentByTask, spentByAgent, spentByModel } = view;
  return {
    turns,
    spentByTask,
    spentByAgent,
    spentByModel,
    evidence: view.evidence.set(task, all.slice(-maxEvidence)),
  };
}

/** A process that starts or ends has no turn under way. What a turn had used by then is spent. */
function interrupted(view: Turns): Turns {
  let now = view;
  for (const turn of liveTurns(view)) {
    const ended: TurnView = { ...turn, outcome: "interrupted" };
    now = withTurn(hasUsed(turn.used) ? withSpent(now, ended) : now, ended);
  }
  return now;
}

function hasUsed({ input, output, costUsd }: Amounts): boolean {
  return input + output > 0 || costUsd !== undefined;
}

/** The oldest that ended go, several at a time. Not a copy of the whole view, which has many more parts. */
function withTurn(view: Turns, turn: TurnView): Turns {
  let turns = view.turns.set(turn.turn, turn);
  if (turns.size > maxTurns * 1.5)
    for (const old of turns.values()) {
      if (turns.size <= maxTurns) break;
      if (old.outcome !== undefined) turns = turns.delete(old.turn);
    }
  const { spentByTask, spentByAgent, spentByModel, evidence } = view;
  return { turns, spentByTask, spentByAgent, spentByModel, evidence };
}
