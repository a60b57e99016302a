// What a run has used up so far: a fold of its events, so it is the same in a process that resumes it.

import type { StoredEvent } from "../../journal/port.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { LoopRound } from "../graph/key.ts";

export interface RunTotals {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** Turns whose cost nobody stated. */
  readonly turnsWithoutCost: number;
  readonly activeMs: number;
}

export class RunLedger {
  #iterations = 0;
  /** Names of iterations, by the visit that they are part of: one that is over begins none of them again. */
  readonly #begun = new Map<string, Set<string>>();
  /** The last round of each loop. Before its second one a loop is not known to be one. */
  readonly #rounds = new Map<string, number>();
  #turns = 0;
  #inputTokens = 0;
  #outputTokens = 0;
  #costUsd = 0;
  #turnsWithoutCost = 0;
  /** The dearest turn of each agent so far. */
  readonly #dearest = new Map<string, { costUsd: number; tokens: number }>();
  #waitedMs = 0;
  #waitUntil = 0;
  #activeMs = 0;
  #activeSince: number | undefined;
  #lastAt = 0;

  /** Takes one event in. Events must come in order, each once. */
  add(event: StoredEvent): void {
    if (event.type === "run.started") {
      // A process that was killed wrote no end: its last event is when it was last seen alive.
      this.#closeStretch(this.#lastAt);
      this.#activeSince = event.at;
    }
    this.#lastAt = event.at;
    switch (event.type) {
      case "agent.turn-finished":
        this.#addTurn(event);
        return;
      case "iteration.started":
        if (typeof event["round"] === "number") this.#addRound(event["loop"] as string, event["round"]);
        else this.#addIteration(event["key"] as string, event["iteration"] as string);
        return;
      case "node.finished":
        this.#begun.delete(event["key"] as string);
        return;
      case "limit.waiting": {
        const until = event["until"] as number;
        // Workers that run into the same limit wait at the same time.
        this.#waitedMs += Math.max(0, until - Math.max(event.at, this.#waitUntil));
        this.#waitUntil = Math.max(this.#waitUntil, until);
        return;
      }
      case "run.paused":
      case "run.finished":
        this.#closeStretch(event.at);
        return;
      default:
        return;
    }
  }

  #addIteration(visit: string, name: string): void {
    const begun = this.#begun.get(visit) ?? new Set();
    if (begun.has(name)) return;
    this.#iterations++;
    this.#begun.set(visit, begun.add(name));
  }

  #addRound(loop: string, round: number): void {
    const last = this.#rounds.get(loop) ?? 0;
    this.#iterations += Math.max(0, round - last);
    this.#rounds.set(loop, Math.max(last, round));
  }

  #addTurn(event: StoredEvent): void {
    const usage = (event["usage"] ?? {}) as JsonObject;
    const input = count(usage["inputTokens"]) + count(usage["cacheReadTokens"]) + count(usage["cacheWriteTokens"]);
    const output = count(usage["outputTokens"]);
    const cost = usage["costUsd"];
    this.#turns++;
    this.#inputTokens += input;
    this.#outputTokens += output;
    const agent = event["agent"] as string;
    const dearest = this.#dearest.get(agent) ?? { costUsd: 0, tokens: 0 };
    dearest.tokens = Math.max(dearest.tokens, input + output);
    this.#dearest.set(agent, dearest);
    if (typeof cost === "number" && Number.isFinite(cost) && cost >= 0) {
      this.#costUsd += cost;
      dearest.costUsd = Math.max(dearest.costUsd, cost);
    } else {
      this.#turnsWithoutCost++;
    }
  }

  #closeStretch(at: number): void {
    if (this.#activeSince !== undefined) this.#activeMs += Math.max(0, at - this.#activeSince);
    this.#activeSince = undefined;
  }

  get iterations(): number {
    return this.#iterations;
  }

  /** Of those with a name, only while the visit that they are part of is not over. */
  hasIteration(iteration: string | LoopRound): boolean {
    if (typeof iteration !== "string") return (this.#rounds.get(iteration.loop) ?? 1) >= iteration.round;
    for (const begun of this.#begun.values()) if (begun.has(iteration)) return true;
    return false;
  }

  /** How many there are before this one begins. A loop is known at its second round: then its first one counts. */
  iterationsBefore(iteration: string | LoopRound): number {
    const isNewLoop = typeof iteration !== "string" && !this.#rounds.has(iteration.loop);
    return this.#iterations + (isNewLoop ? iteration.round - 1 : 0);
  }

  get costUsd(): number {
    return this.#costUsd;
  }

  get tokens(): number {
    return this.#inputTokens + this.#outputTokens;
  }

  /** What one more turn of that agent may take, by what its turns took so far; undefined when it had none. */
  likelyTurn(agent: string): { readonly costUsd: number; readonly tokens: number } | undefined {
    return this.#dearest.get(agent);
  }

  /** How long rate limits were waited for. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** A rate limit is known to last until then. */
  get waitUntil(): number {
    return this.#waitUntil;
  }

  activeMs(now: number): number {
    return this.#activeMs + (this.#activeSince === undefined ? 0 : Math.max(0, now - this.#activeSince));
  }

  totals(now: number): RunTotals {
    return {
      turns: this.#turns,
      inputTokens: this.#inputTokens,
      outputTokens: this.#outputTokens,
      costUsd: Math.round(this.#costUsd * 1e6) / 1e6,
      turnsWithoutCost: this.#turnsWithoutCost,
      activeMs: this.activeMs(now),
    };
  }
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
