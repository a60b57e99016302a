// What a run has used up so far: a fold of its events, so it is the same in a process that resumes it.

import type { StoredEvent } from "../../journal/port.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { LoopRound } from "../graph/model/key.ts";

export interface RunTotals {
  readonly turns: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** Turns that did not state their cost, those that were killed included. */
  readonly turnsWithoutCost: number;
  readonly activeMs: number;
}

interface Counted {
  readonly input: number;
  readonly output: number;
  readonly costUsd: number | undefined;
}

const nothing: Counted = { input: 0, output: 0, costUsd: undefined };

/** Names of agents, of which one did not say what it used. */
export interface Uncounted {
  readonly cost?: string | undefined;
  readonly tokens?: string | undefined;
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
  /** What turns that are under way have used so far, by their id: counted already. */
  readonly #underWay = new Map<string, Counted>();
  #uncounted: Uncounted = {};
  /** Who takes the turns, and with which model. */
  #served = "";
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
      this.#closeKilledTurns();
      this.#noteServed(JSON.stringify([event["agentKind"], event["model"]]));
    }
    this.#lastAt = event.at;
    switch (event.type) {
      case "agent.usage-reported":
        this.#report(turnOf(event), countedOf(event["usage"]));
        return;
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

  /** One more report of a turn that is under way in this process: it counts before it is on record. */
  addLive(turn: string, usage: unknown): void {
    const [before, more] = [this.#underWay.get(turn) ?? nothing, countedOf(usage)];
    this.#replace(turn, {
      input: before.input + more.input,
      output: before.output + more.output,
      costUsd: more.costUsd === undefined ? before.costUsd : (before.costUsd ?? 0) + more.costUsd,
    });
  }

  /** What a turn has used so far, in all. A record may be older than what is known by now. */
  #report(turn: string, now: Counted): void {
    const before = this.#underWay.get(turn) ?? nothing;
    const costUsd = now.costUsd === undefined ? before.costUsd : Math.max(now.costUsd, before.costUsd ?? 0);
    this.#replace(turn, {
      input: Math.max(now.input, before.input),
      output: Math.max(now.output, before.output),
      costUsd,
    });
  }

  #replace(turn: string, now: Counted): void {
    this.#count(this.#underWay.get(turn) ?? nothing, now);
    this.#underWay.set(turn, now);
  }

  #count(before: Counted, now: Counted): void {
    this.#inputTokens += now.input - before.input;
    this.#outputTokens += now.output - before.output;
    this.#costUsd += (now.costUsd ?? 0) - (before.costUsd ?? 0);
  }

  #addTurn(event: StoredEvent): void {
    const turn = turnOf(event);
    const agent = event["agent"] as string;
    const used = countedOf(event["usage"]);
    this.#count(this.#underWay.get(turn) ?? nothing, used);
    this.#underWay.delete(turn);
    this.#turns++;
    const tokens = used.input + used.output;
    const dearest = this.#dearest.get(agent) ?? { costUsd: 0, tokens: 0 };
    dearest.tokens = Math.max(dearest.tokens, tokens);
    dearest.costUsd = Math.max(dearest.costUsd, used.costUsd ?? 0);
    this.#dearest.set(agent, dearest);
    if (used.costUsd === undefined) this.#turnsWithoutCost++;
    // One that failed before it asked a model has nothing to state.
    const hasUsed = tokens > 0 || event["outcome"] === "completed";
    if (hasUsed && used.costUsd === undefined) this.#uncounted = { ...this.#uncounted, cost: agent };
    if (hasUsed && tokens === 0) this.#uncounted = { ...this.#uncounted, tokens: agent };
  }

  /** Turns of a process that was killed: what they had reported stays counted. */
  #closeKilledTurns(): void {
    for (const { costUsd } of this.#underWay.values()) if (costUsd === undefined) this.#turnsWithoutCost++;
    this.#underWay.clear();
  }

  /** What another agent or model did not state says nothing about this one. */
  #noteServed(served: string): void {
    if (served !== this.#served) this.#uncounted = {};
    this.#served = served;
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

  /** Agents that did not say what their turns used. */
  get uncounted(): Uncounted {
    return this.#uncounted;
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

/** Records of older versions name none. */
function turnOf(event: StoredEvent): string {
  return typeof event["turn"] === "string" ? event["turn"] : "";
}

function countedOf(usage: unknown): Counted {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd } = (usage ?? {}) as JsonObject;
  const isStated = typeof costUsd === "number" && Number.isFinite(costUsd) && costUsd >= 0;
  return {
    input: count(inputTokens) + count(cacheReadTokens) + count(cacheWriteTokens),
    output: count(outputTokens),
    costUsd: isStated ? costUsd : undefined,
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
