// What a run has used up so far: an immutable fold of its events, so it is the same in a process that resumes it.

import type {
  AgentOrderEvent,
  ForeignEvent,
  NoticeEvent,
  QuestionEvent,
  ResumeEvent,
  TurnEvent,
  VisitEvent,
  WorkEvent,
  WorktreeEvent,
} from "../../events/event-groups.ts";
import type { RunEvent, RunEventOf } from "../../events/run-event.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";
import { addAmounts, type Amounts, amountsOf, noAmounts } from "./amounts.ts";

export interface RunTotals {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** Turns that did not state their cost, those that were killed included. */
  readonly turnsWithoutCost: number;
  readonly activeMs: number;
}

/** Names of agents, of which one did not say what it used. */
export interface Uncounted {
  readonly cost?: string | undefined;
  readonly tokens?: string | undefined;
}

export interface LikelyTurn {
  readonly costUsd: number;
  readonly tokens: number;
}

export interface RunSpending {
  readonly iterations: number;
  /** Names of iterations, by the visit that they are part of: one that is over begins none of them again. */
  readonly begun: PersistentMap<PersistentMap<true>>;
  /** The last round of each loop. Before its second one a loop is not known to be one. */
  readonly rounds: PersistentMap<number>;
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  readonly turnsWithoutCost: number;
  /** What turns that are under way have used so far, by their id: counted already. */
  readonly underWay: PersistentMap<Amounts>;
  readonly uncounted: Uncounted;
  /** Who takes the turns, and with which model. */
  readonly served: string;
  /** The most expensive turn of each agent so far. */
  readonly costliest: PersistentMap<LikelyTurn>;
  /** How long rate limits were waited for. */
  readonly waitedMs: number;
  /** A rate limit is known to last until then. */
  readonly waitUntil: number;
  readonly activeMs: number;
  readonly activeSince: number | undefined;
  readonly lastAt: number;
}

export const nothingSpent: RunSpending = {
  iterations: 0,
  begun: PersistentMap.empty(),
  rounds: PersistentMap.empty(),
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  turnsWithoutCost: 0,
  underWay: PersistentMap.empty(),
  uncounted: {},
  served: "",
  costliest: PersistentMap.empty(),
  waitedMs: 0,
  waitUntil: 0,
  activeMs: 0,
  activeSince: undefined,
  lastAt: 0,
};

/** Events must come in order, each once. */
export function nextSpending(spending: RunSpending, event: RunEvent): RunSpending {
  // Copied once: each event of a run passes here.
  const now = { ...spending, lastAt: event.at };
  switch (event.type) {
    case "run.started":
      return started(spending, event);
    case "agent.usage-reported":
      return Object.assign(now, reported(spending, event));
    case "agent.turn-finished":
      return Object.assign(now, turnFinished(spending, event));
    case "iteration.started":
      return Object.assign(now, iterationStarted(spending, event));
    case "node.finished":
      now.begun = spending.begun.delete(event.key);
      return now;
    case "limit.waiting":
      // Workers that run into the same limit wait at the same time.
      now.waitedMs += Math.max(0, event.until - Math.max(event.at, spending.waitUntil));
      now.waitUntil = Math.max(spending.waitUntil, event.until);
      return now;
    case "run.paused":
    case "run.finished":
      return Object.assign(now, closedStretch(spending, event.at));
    default:
      event satisfies
        | VisitEvent
        | ResumeEvent
        | QuestionEvent
        | TurnEvent
        | NoticeEvent
        | AgentOrderEvent
        | WorkEvent
        | WorktreeEvent
        | ForeignEvent;
      return now;
  }
}

function started(spending: RunSpending, event: RunEventOf<"run.started">): RunSpending {
  // What another agent or model did not state says nothing about this one.
  const served = JSON.stringify([event.agentKind, event.model]);
  let { turnsWithoutCost } = spending;
  // Turns of a process that was killed: what they had reported stays counted.
  for (const { costUsd } of spending.underWay.values()) if (costUsd === undefined) turnsWithoutCost++;
  return {
    ...spending,
    // A process that was killed wrote no end: its last event is when it was last seen alive.
    ...closedStretch(spending, spending.lastAt),
    activeSince: event.at,
    turnsWithoutCost,
    underWay: PersistentMap.empty(),
    uncounted: served === spending.served ? spending.uncounted : {},
    served,
    lastAt: event.at,
  };
}

function closedStretch(
  { activeMs, activeSince }: RunSpending,
  at: number,
): Pick<RunSpending, "activeMs" | "activeSince"> {
  return {
    activeMs: activeMs + (activeSince === undefined ? 0 : Math.max(0, at - activeSince)),
    activeSince: undefined,
  };
}

function iterationStarted(now: RunSpending, event: RunEventOf<"iteration.started">): Partial<RunSpending> {
  const { loop, round, iteration, key = "" } = event;
  if (loop !== undefined && round !== undefined) {
    const last = now.rounds.get(loop) ?? 0;
    const iterations = now.iterations + Math.max(0, round - last);
    return { iterations, rounds: now.rounds.set(loop, Math.max(last, round)) };
  }
  if (iteration === undefined) return {};
  const before = now.begun.get(key) ?? PersistentMap.empty<true>();
  const begun = before.set(iteration, true);
  if (begun === before) return {};
  return { iterations: now.iterations + 1, begun: now.begun.set(key, begun) };
}

/** What a turn has used so far, in all. */
function reported(now: RunSpending, { turn = "", usage }: RunEventOf<"agent.usage-reported">): Partial<RunSpending> {
  const before = now.underWay.get(turn) ?? noAmounts;
  const total = atLeast(amountsOf(usage), before);
  return { ...counted(now, before, total), underWay: now.underWay.set(turn, total) };
}

function turnFinished(now: RunSpending, event: RunEventOf<"agent.turn-finished">): Partial<RunSpending> {
  const { agent, turn = "", outcome } = event;
  const before = now.underWay.get(turn) ?? noAmounts;
  const used = amountsOf(event.usage);
  const tokens = used.input + used.output;
  // One that failed before it asked a model has nothing to state.
  const hasUsed = tokens > 0 || outcome === "completed";
  const isCounted = !hasUsed || (used.costUsd !== undefined && tokens > 0);
  return {
    ...counted(now, before, used),
    turns: now.turns + 1,
    turnsWithoutCost: now.turnsWithoutCost + Number(used.costUsd === undefined),
    underWay: now.underWay.delete(turn),
    costliest: withTurn(now.costliest, agent, { costUsd: used.costUsd ?? 0, tokens }),
    uncounted: isCounted
      ? now.uncounted
      : {
          ...now.uncounted,
          ...(used.costUsd === undefined && { cost: agent }),
          ...(tokens === 0 && { tokens: agent }),
        },
  };
}

/** The same map when an earlier turn took as much. */
function withTurn(costliest: RunSpending["costliest"], agent: string, turn: LikelyTurn): RunSpending["costliest"] {
  const known = costliest.get(agent);
  if (known === undefined) return costliest.set(agent, turn);
  if (turn.costUsd <= known.costUsd && turn.tokens <= known.tokens) return costliest;
  return costliest.set(agent, {
    costUsd: Math.max(known.costUsd, turn.costUsd),
    tokens: Math.max(known.tokens, turn.tokens),
  });
}

/** The totals after a turn that was counted with `before` is counted with `after`. */
function counted(
  now: RunSpending,
  before: Amounts,
  after: Amounts,
): Pick<RunSpending, "inputTokens" | "outputTokens" | "costUsd"> {
  return {
    inputTokens: now.inputTokens + after.input - before.input,
    outputTokens: now.outputTokens + after.output - before.output,
    costUsd: now.costUsd + (after.costUsd ?? 0) - (before.costUsd ?? 0),
  };
}

/** A record may be older than what is known by now. */
export function atLeast(now: Amounts, before: Amounts): Amounts {
  return {
    input: Math.max(now.input, before.input),
    output: Math.max(now.output, before.output),
    costUsd: now.costUsd === undefined ? before.costUsd : Math.max(now.costUsd, before.costUsd ?? 0),
  };
}

export function activeMs({ activeMs: ended, activeSince }: RunSpending, now: number): number {
  return ended + (activeSince === undefined ? 0 : Math.max(0, now - activeSince));
}

export function runTotals(spending: RunSpending, now: number, live: Amounts = noAmounts): RunTotals {
  const { turns, inputTokens, outputTokens, costUsd, turnsWithoutCost } = spending;
  const all = addAmounts({ input: inputTokens, output: outputTokens, costUsd }, live);
  return {
    turns,
    inputTokens: all.input,
    outputTokens: all.output,
    costUsd: Math.round((all.costUsd ?? 0) * 1e6) / 1e6,
    turnsWithoutCost,
    activeMs: activeMs(spending, now),
  };
}
