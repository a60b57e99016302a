// Which backends are out, and until when: a rate limit with its reset time, an overloaded service, a login that was
// refused, a spending limit, a program that is missing. Owns the rule of how long each lasts; who takes the turns
// meanwhile is decided in routed-bridge.ts.

import type { AgentFailure } from "../workflows/graph/model/bridge.ts";

export interface Outage {
  /** The kind of failure; `unavailable` when the agent could not be started. */
  readonly kind: string;
  readonly message: string;
  /** In milliseconds since the epoch; undefined: for as long as this process runs. */
  readonly until: number | undefined;
}

/** Without a reset time: first a short pause, then longer ones, because it is unknown when the service is back. */
const firstPauseMs = 60_000;
const maxPauseMs = 15 * 60_000;

const passing: ReadonlySet<string> = new Set(["rate_limited", "overloaded"]);
const lasting: ReadonlySet<string> = new Set(["auth", "budget"]);

export class Outages {
  readonly #out = new Map<string, Outage>();
  /** Outages in a row, by backend; a completed turn ends the row. */
  readonly #inARow = new Map<string, number>();

  /** `known`: those that the run's record has. */
  constructor(known: Iterable<readonly [backend: string, outage: Outage]> = []) {
    for (const [backend, outage] of known) this.#out.set(backend, outage);
  }

  /** Whether a failure says something about the backend, and not about the turn. */
  static isOutage(failure: AgentFailure | undefined, isUnavailable: boolean): boolean {
    return isUnavailable || (failure !== undefined && (passing.has(failure.kind) || lasting.has(failure.kind)));
  }

  add(backend: string, failure: AgentFailure, isUnavailable: boolean, now: number): Outage {
    const kind = isUnavailable ? "unavailable" : failure.kind;
    const outage = { kind, message: failure.message, until: this.#untilOf(backend, failure, isUnavailable, now) };
    this.#out.set(backend, outage);
    return outage;
  }

  /** What keeps the backend from taking a turn now. */
  of(backend: string, now: number): Outage | undefined {
    const outage = this.#out.get(backend);
    return outage === undefined || (outage.until !== undefined && outage.until <= now) ? undefined : outage;
  }

  /** A turn of the backend was completed. True when it had been out before. */
  completed(backend: string): boolean {
    this.#inARow.delete(backend);
    return this.#out.delete(backend);
  }

  #untilOf(backend: string, failure: AgentFailure, isUnavailable: boolean, now: number): number | undefined {
    if (failure.resetAt !== undefined && failure.resetAt > now) return failure.resetAt;
    if (isUnavailable || lasting.has(failure.kind)) return undefined;
    const count = this.#inARow.get(backend) ?? 0;
    this.#inARow.set(backend, count + 1);
    return now + Math.min(firstPauseMs * 2 ** count, maxPauseMs);
  }
}
