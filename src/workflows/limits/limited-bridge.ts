// Agents behind the run's limits: a turn starts only when the run can afford it, what its calls use counts as soon as
// they report it, rate limits are waited out as part of the record, and a limit that is reached pauses the run instead
// of failing it.

import type { Clock } from "../../lib/clock.ts";
import { counted } from "../../lib/counted.ts";
import { createDeferred, type Deferred } from "../../lib/deferred.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import { localTime } from "../../lib/local-time.ts";
import type { AgentFailure, SubagentResult, SubagentSpawnOptions, WorkflowBridge } from "../graph/model/bridge.ts";
import { callContextWith } from "../graph/model/call-context.ts";
import type { PauseReason } from "../../events/engine-events.ts";
import type { StatedUsage } from "./amounts.ts";
import { reachedCap, uncountable } from "./reached-cap.ts";
import { recordedUntil } from "./recorded-until.ts";
import type { RunLedger } from "./run-ledger.ts";
import type { LimitName, RunLimits } from "./run-limits.ts";

export interface LimitedBridgeOptions {
  readonly bridge: WorkflowBridge;
  readonly ledger: RunLedger;
  readonly limits: RunLimits;
  readonly clock: Clock;
  /** Pauses the run; what still runs is interrupted. */
  readonly pause: (reason: PauseReason, details: Readonly<Record<string, Json>>) => void;
}

/** A call in progress: counted, possibly waiting, possibly in its turn. */
interface Call {
  readonly iteration: SubagentSpawnOptions["iteration"];
  /** What its turn is likely to take beyond what it has used; undefined before it may start. */
  reserved: Amounts | undefined;
  /** It waits for a user's answer: no other call should wait for it. */
  isAsking: boolean;
}

type Iteration = NonNullable<SubagentSpawnOptions["iteration"]>;

/** Two turns of one round are one iteration. */
function nameOf(iteration: Iteration): string {
  return typeof iteration === "string" ? iteration : `${iteration.loop}#${iteration.round}`;
}

interface Amounts {
  readonly costUsd: number;
  readonly tokens: number;
}

const firstBackoffMs = 30_000;
const maxBackoffMs = 15 * 60_000;

export function createLimitedBridge(options: LimitedBridgeOptions): WorkflowBridge {
  const gate = new TurnGate(options);
  const { bridge } = options;
  const spawn = (call: SubagentSpawnOptions, signal?: AbortSignal): Promise<SubagentResult> => gate.run(call, signal);
  return {
    spawn,
    spawnParallel: (calls, signal) => Promise.all(calls.map((call) => spawn(call, signal))),
    contextUsage: (session) => bridge.contextUsage(session),
    clearSession: (session) => bridge.clearSession(session),
    compactSession: (session) => bridge.compactSession(session),
  };
}

class TurnGate {
  readonly #options: LimitedBridgeOptions;
  readonly #calls = new Set<Call>();
  /** Resolved when a call ends, or begins to wait for an answer. */
  #changed: Deferred<void> | undefined;
  #failuresInARow = 0;
  #waitUntil: number;

  constructor(options: LimitedBridgeOptions) {
    this.#options = options;
    const { ledger, clock } = options;
    this.#waitUntil = recordedUntil(ledger.waitUntil, ledger.lastAt, clock.now());
  }

  async run(spawn: SubagentSpawnOptions, signal: AbortSignal | undefined): Promise<SubagentResult> {
    const call: Call = { iteration: spawn.iteration, reserved: undefined, isAsking: false };
    await this.#admit(call, spawn, signal);
    try {
      const result = await this.#takeTurns(call, spawn, signal);
      // From here on the record counts it.
      if (this.#isUnrecorded(call)) await spawn.context?.flush();
      return result;
    } finally {
      this.#calls.delete(call);
      this.#tellChange();
    }
  }

  /** One turn, and once more after each limit of the account that was waited for. */
  async #takeTurns(call: Call, spawn: SubagentSpawnOptions, signal: AbortSignal | undefined): Promise<SubagentResult> {
    const watched = this.#watched(call, spawn);
    for (;;) {
      await this.#sitOutLimit(signal);
      await this.#reserve(call, spawn.agent ?? "", signal);
      let result: SubagentResult;
      try {
        result = await this.#options.bridge.spawn(watched, signal);
      } catch (thrown) {
        if (AtomicError.is(thrown, "AGENT_NEEDS_TRUST")) this.#waitForPerson(thrown.message);
        throw thrown;
      } finally {
        call.reserved = undefined;
        this.#tellChange();
      }
      if (result.isUnavailable === true) this.#waitForPerson(result.error ?? "the agent can't be started");
      if (result.success) {
        this.#failuresInARow = 0;
        return result;
      }
      if (result.failure === undefined || !this.#isWorthWaiting(result.failure)) return result;
      this.#planWait(spawn, result.failure);
    }
  }

  /**
   * The call as the agents get it: they report when a question is asked. And what a turn took is on record before the
   * next one is weighed where there is a cap; without one it is stored together with what comes of the turn: one write
   * instead of two, and no moment in between in which a crash would take it again.
   */
  #watched(call: Call, spawn: SubagentSpawnOptions): SubagentSpawnOptions {
    const { context } = spawn;
    if (context === undefined) return spawn;
    const { ask: askPerson } = context;
    const ask: typeof context.ask = async (question) => {
      call.isAsking = true;
      this.#tellChange();
      try {
        return await askPerson(question);
      } finally {
        call.isAsking = false;
      }
    };
    return {
      ...spawn,
      context: callContextWith(context, {
        ask,
        flush: () => (this.#hasCap ? context.flush() : Promise.resolve()),
        // What agents do reaches front ends typed, from where it happens; here only its cost counts.
        progress: (type, data) => {
          if (type === "usage.reported") this.#noteUsage(call, data);
        },
      }),
    };
  }

  #tellChange(): void {
    this.#changed?.resolve();
    this.#changed = undefined;
  }

  async #nextChange(signal: AbortSignal | undefined): Promise<void> {
    this.#changed ??= createDeferred();
    await this.#changed.promise;
    signal?.throwIfAborted();
  }

  // ---- counting iterations

  /** At the limit, turns that are under way finish first: they were counted, and are worth having. */
  async #admit(call: Call, { context }: SubagentSpawnOptions, signal: AbortSignal | undefined): Promise<void> {
    const { limits } = this.#options;
    const { iteration } = call;
    while (iteration !== undefined && this.#isNew(iteration)) {
      const iterations = limits.maxIterations === 0 ? 0 : this.#countBefore(iteration);
      if (limits.maxIterations === 0 || iterations < limits.maxIterations) {
        context?.record({ type: "iteration.started", ...(typeof iteration === "string" ? { iteration } : iteration) });
        break;
      }
      if ([...this.#calls].every((other) => other.iteration === undefined || other.isAsking)) {
        const why = `the limit of ${counted(limits.maxIterations, "iteration")} is reached and work is left`;
        this.#stop("max-iterations", why, { iterations });
      }
      await this.#nextChange(signal);
    }
    // At once, so that the next one is counted together with this.
    this.#calls.add(call);
  }

  #isNew(iteration: Iteration): boolean {
    if (this.#options.ledger.hasIteration(iteration)) return false;
    const name = nameOf(iteration);
    return ![...this.#calls].some((call) => call.iteration !== undefined && nameOf(call.iteration) === name);
  }

  #isUnrecorded({ iteration }: Call): boolean {
    return iteration !== undefined && !this.#options.ledger.hasIteration(iteration);
  }

  #countBefore(iteration: Iteration): number {
    const begun = [...this.#calls].filter((call) => this.#isUnrecorded(call));
    const names = new Set(begun.map((call) => nameOf(call.iteration ?? "")));
    return this.#options.ledger.iterationsBefore(iteration) + names.size;
  }

  // ---- affording a turn

  get #hasCap(): boolean {
    const { maxCostUsd, maxTokens } = this.#options.limits;
    return maxCostUsd !== undefined || maxTokens !== undefined;
  }

  /**
   * A turn starts when the budget has room for it besides what runs already. Alone it may use what is left, and an
   * agent of which nothing is known yet starts alone: so a turn that reports nothing before its end overshoots by
   * itself only.
   */
  async #reserve(call: Call, agent: string, signal: AbortSignal | undefined): Promise<void> {
    const { ledger } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      this.#checkSpent();
      const likely = ledger.likelyTurn(agent);
      if (!this.#hasCap || !this.#isAnyRunning || (likely !== undefined && this.#fits(likely))) {
        call.reserved = { costUsd: Infinity, tokens: Infinity, ...likely };
        return;
      }
      await this.#nextChange(signal);
    }
  }

  get #isAnyRunning(): boolean {
    return [...this.#calls].some(({ reserved, isAsking }) => reserved !== undefined && !isAsking);
  }

  #fits(turn: Amounts): boolean {
    const { ledger, limits } = this.#options;
    const reserved = [...this.#calls].flatMap((call) => call.reserved ?? []);
    const cost = ledger.costUsd + reserved.reduce((sum, each) => sum + each.costUsd, turn.costUsd);
    const tokens = ledger.tokens + reserved.reduce((sum, each) => sum + each.tokens, turn.tokens);
    const isCheapEnough = limits.maxCostUsd === undefined || cost <= limits.maxCostUsd;
    return isCheapEnough && (limits.maxTokens === undefined || tokens <= limits.maxTokens);
  }

  #checkSpent(): void {
    const { ledger, limits } = this.#options;
    const reached = reachedCap(ledger, limits) ?? uncountable(ledger, limits);
    if (reached !== undefined) this.#stop(reached.limit, reached.message, reached.details);
  }

  /**
   * One call of the model, in the middle of a turn. When it reaches a cap the run pauses at once, and its turns are
   * interrupted: the overshoot is what that call took, and the calls that other workers had under way.
   */
  #noteUsage(call: Call, data: Json | undefined): void {
    const { ledger, limits } = this.#options;
    const { turnId, usage } = (data ?? {}) as { readonly turnId?: string; readonly usage?: StatedUsage };
    if (turnId === undefined) return;
    // Without a cap nothing is weighed against it.
    if (!this.#hasCap) return ledger.addLive(turnId, usage ?? {});
    const [costBefore, tokensBefore] = [ledger.costUsd, ledger.tokens];
    ledger.addLive(turnId, usage ?? {});
    if (call.reserved !== undefined)
      call.reserved = {
        costUsd: Math.max(0, call.reserved.costUsd - (ledger.costUsd - costBefore)),
        tokens: Math.max(0, call.reserved.tokens - (ledger.tokens - tokensBefore)),
      };
    const reached = reachedCap(ledger, limits);
    if (reached !== undefined) this.#pauseAt(reached.limit, reached.message, reached.details);
  }

  // ---- limits of the account

  #isWorthWaiting(failure: AgentFailure): boolean {
    switch (failure.kind) {
      case "rate_limited":
      case "overloaded":
        return true;
      case "auth":
        return this.#waitForPerson(failure.message);
      case "budget":
        return this.#stop("account", failure.message, {});
      default:
        return false;
    }
  }

  #planWait(call: SubagentSpawnOptions, failure: AgentFailure): void {
    const { clock, ledger, limits } = this.#options;
    const now = clock.now();
    const backoff = Math.min(firstBackoffMs * 2 ** this.#failuresInARow++, maxBackoffMs);
    // A time that has already passed is useless: retrying at once would never end.
    const isKnown = failure.resetAt !== undefined && failure.resetAt > now;
    const until = isKnown ? failure.resetAt : now + backoff;
    const maxTimerMs = (limits.maxWaitMinutes ?? Infinity) * 60_000;
    if (ledger.waitedMs + (until - now) > maxTimerMs) {
      this.#stop(
        "max-wait",
        `the next try would be at ${localTime(until)}, later than --max-wait allows (${failure.message})`,
        { until },
      );
    }
    if (until <= this.#waitUntil) return;
    this.#waitUntil = until;
    call.context?.record({ type: "limit.waiting", until, kind: failure.kind, message: failure.message });
  }

  /** A limit counts for the whole account: no turn starts before it ends, also after a restart. */
  async #sitOutLimit(signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      const left = this.#waitUntil - clock.now();
      if (left <= 0) return;
      await clock.sleep(left, signal);
    }
  }

  #waitForPerson(problem: string): never {
    this.#options.pause("needs-human", { problem });
    throw new Error(problem);
  }

  #stop(limit: LimitName, why: string, details: Readonly<Record<string, Json>>): never {
    this.#pauseAt(limit, why, details);
    throw new Error(why);
  }

  #pauseAt(limit: LimitName, why: string, details: Readonly<Record<string, Json>>): void {
    this.#options.pause("budget", { limit, message: why, ...details });
  }
}
