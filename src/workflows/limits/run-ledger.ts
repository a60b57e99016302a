// What a run has used up by now, for its limits: what is on record, and what turns of this process have reported since.

import type { RunEvent } from "../../events/run-event.ts";
import type { LoopRound } from "../graph/model/key.ts";
import { addAmounts, type Amounts, amountsOf, noAmounts, type StatedUsage } from "./amounts.ts";
import {
  activeMs,
  atLeast,
  type LikelyTurn,
  nextSpending,
  nothingSpent,
  type RunSpending,
  type RunTotals,
  runTotals,
  type Uncounted,
} from "./run-spending.ts";

export class RunLedger {
  #spending: RunSpending;
  /** All that turns under way have reported in this process, by their id. */
  readonly #live = new Map<string, Amounts>();

  constructor(spending: RunSpending = nothingSpent) {
    this.#spending = spending;
  }

  /** Adds one event. Events must come in order, each once. */
  add(event: RunEvent): void {
    this.advance(nextSpending(this.#spending, event), event);
  }

  /** The same, where the fold was made already. */
  advance(spending: RunSpending, event: RunEvent): void {
    this.#spending = spending;
    if (event.type === "agent.turn-finished" && event.turn !== undefined) this.#live.delete(event.turn);
    if (event.type === "run.started") this.#live.clear();
  }

  /** One more report of a turn that is under way in this process: it counts before it is on record. */
  addLive(turn: string, usage: StatedUsage): void {
    const before = this.#live.get(turn) ?? this.#spending.underWay.get(turn) ?? noAmounts;
    this.#live.set(turn, addAmounts(before, amountsOf(usage)));
  }

  /** What turns have reported beyond what is on record. */
  get #unrecorded(): Amounts {
    let sum = noAmounts;
    for (const [turn, live] of this.#live) {
      const recorded = this.#spending.underWay.get(turn) ?? noAmounts;
      const now = atLeast(live, recorded);
      sum = addAmounts(sum, {
        input: now.input - recorded.input,
        output: now.output - recorded.output,
        costUsd: (now.costUsd ?? 0) - (recorded.costUsd ?? 0),
      });
    }
    return sum;
  }

  get iterations(): number {
    return this.#spending.iterations;
  }

  /** Of those with a name, only while the visit that they are part of is not over. */
  hasIteration(iteration: string | LoopRound): boolean {
    if (typeof iteration !== "string") return (this.#spending.rounds.get(iteration.loop) ?? 1) >= iteration.round;
    for (const begun of this.#spending.begun.values()) if (begun.has(iteration)) return true;
    return false;
  }

  /**
   * How many there are before this one begins. A loop is recognised in its second round: then its first one counts too.
   */
  iterationsBefore(iteration: string | LoopRound): number {
    const isNewLoop = typeof iteration !== "string" && !this.#spending.rounds.has(iteration.loop);
    return this.#spending.iterations + (isNewLoop ? iteration.round - 1 : 0);
  }

  get costUsd(): number {
    return this.#spending.costUsd + (this.#unrecorded.costUsd ?? 0);
  }

  get tokens(): number {
    const { input, output } = this.#unrecorded;
    return this.#spending.inputTokens + this.#spending.outputTokens + input + output;
  }

  /** Agents that did not say what their turns used. */
  get uncounted(): Uncounted {
    return this.#spending.uncounted;
  }

  /** What one more turn of that agent may take, by what its turns took so far; undefined when it had none. */
  likelyTurn(agent: string): LikelyTurn | undefined {
    return this.#spending.costliest.get(agent);
  }

  /** How long rate limits were waited for. */
  get waitedMs(): number {
    return this.#spending.waitedMs;
  }

  /** A rate limit is known to last until then. */
  get waitUntil(): number {
    return this.#spending.waitUntil;
  }

  /** The time of the last event. */
  get lastAt(): number {
    return this.#spending.lastAt;
  }

  activeMs(now: number): number {
    return activeMs(this.#spending, now);
  }

  totals(now: number): RunTotals {
    return runTotals(this.#spending, now, this.#unrecorded);
  }
}
