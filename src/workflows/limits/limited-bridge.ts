// Agents behind the run's limits: a turn starts only when the run can afford it, rate limits are waited out as part of
// the record, and a limit that is reached pauses the run instead of failing it.

import type { Clock } from "../../lib/clock.ts";
import { createDeferred, type Deferred } from "../../lib/deferred.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import type { AgentFailure, SubagentResult, SubagentSpawnOptions, WorkflowBridge } from "../graph/bridge.ts";
import type { PauseReason } from "../graph/events.ts";
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

interface Reservation {
  readonly costUsd: number;
  readonly tokens: number;
}

const firstBackoffMs = 30_000;
const longestBackoffMs = 15 * 60_000;

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
  readonly #reserved = new Set<Reservation>();
  /** Begun in this process, and perhaps not on record yet. */
  readonly #begun = new Set<string>();
  #freed: Deferred<void> | undefined;
  #failuresInARow = 0;
  #waitUntil = 0;

  constructor(options: LimitedBridgeOptions) {
    this.#options = options;
  }

  async run(call: SubagentSpawnOptions, signal: AbortSignal | undefined): Promise<SubagentResult> {
    this.#countIteration(call);
    try {
      return await this.#takeTurns(call, signal);
    } finally {
      // What its turn took is on record by now, and the iteration with it.
      if (call.iteration !== undefined) this.#begun.delete(call.iteration);
    }
  }

  /** One turn, and once more after each limit of the account that was waited for. */
  async #takeTurns(call: SubagentSpawnOptions, signal: AbortSignal | undefined): Promise<SubagentResult> {
    for (;;) {
      await this.#sitOutLimit(signal);
      const reservation = await this.#reserve(call.agent ?? "", signal);
      let result: SubagentResult;
      try {
        result = await this.#options.bridge.spawn(this.#recordedTogether(call), signal);
      } catch (thrown) {
        if (AtomicError.is(thrown, "AGENT_NEEDS_TRUST")) this.#waitForPerson(thrown.message);
        throw thrown;
      } finally {
        this.#free(reservation);
      }
      if (result.isUnavailable === true) this.#waitForPerson(result.error ?? "the agent can't be started");
      this.#checkUsage(call, result);
      if (result.success) {
        this.#failuresInARow = 0;
        return result;
      }
      if (result.failure === undefined || !this.#isWorthWaiting(result.failure)) return result;
      this.#planWait(call, result.failure);
    }
  }

  #countIteration({ iteration, context }: SubagentSpawnOptions): void {
    const { ledger, limits } = this.#options;
    if (iteration === undefined || this.#begun.has(iteration) || ledger.hasIteration(iteration)) return;
    const unrecorded = [...this.#begun].filter((begun) => !ledger.hasIteration(begun)).length;
    const iterations = ledger.iterations + unrecorded;
    if (limits.maxIterations > 0 && iterations >= limits.maxIterations) {
      this.#stop("max-iterations", `${limits.maxIterations} iterations are done and work is left`, { iterations });
    }
    this.#begun.add(iteration);
    context?.emit("iteration.started", { iteration });
  }

  // ---- affording a turn

  get #hasCap(): boolean {
    const { maxCostUsd, maxTokens } = this.#options.limits;
    return maxCostUsd !== undefined || maxTokens !== undefined;
  }

  /**
   * With a cap, what a turn took must be on record before the next one is weighed. Without one it is stored together with
   * what comes of the turn: one write instead of two, and no moment in between in which a crash would take it again.
   */
  #recordedTogether(call: SubagentSpawnOptions): SubagentSpawnOptions {
    const { context } = call;
    if (context === undefined || this.#hasCap) return call;
    const { node, key, signal, attempt } = context;
    return {
      ...call,
      context: {
        node,
        key,
        signal,
        attempt,
        emit: (type, data) => context.emit(type, data),
        flush: () => Promise.resolve(),
        progress: (type, data) => context.progress(type, data),
        sleepUntil: (at) => context.sleepUntil(at),
        ask: (question) => context.ask(question),
      },
    };
  }

  /**
   * A turn starts when what it is likely to take fits beside what runs already. Alone it may use what is left, and an
   * agent of which nothing is known yet starts alone: so the overshoot is at most one turn.
   */
  async #reserve(agent: string, signal: AbortSignal | undefined): Promise<Reservation> {
    const { ledger } = this.#options;
    for (;;) {
      signal?.throwIfAborted();
      this.#checkSpent();
      const likely = ledger.likelyTurn(agent);
      if (!this.#hasCap || this.#reserved.size === 0 || (likely !== undefined && this.#fits(likely))) {
        const reservation = { costUsd: Infinity, tokens: Infinity, ...likely };
        this.#reserved.add(reservation);
        return reservation;
      }
      this.#freed ??= createDeferred();
      await this.#freed.promise;
    }
  }

  #fits(turn: Reservation): boolean {
    const { ledger, limits } = this.#options;
    const running = [...this.#reserved];
    const cost = ledger.costUsd + running.reduce((sum, each) => sum + each.costUsd, turn.costUsd);
    const tokens = ledger.tokens + running.reduce((sum, each) => sum + each.tokens, turn.tokens);
    const isCheapEnough = limits.maxCostUsd === undefined || cost <= limits.maxCostUsd;
    return isCheapEnough && (limits.maxTokens === undefined || tokens <= limits.maxTokens);
  }

  #free(reservation: Reservation): void {
    this.#reserved.delete(reservation);
    this.#freed?.resolve();
    this.#freed = undefined;
  }

  #checkSpent(): void {
    const { ledger, limits } = this.#options;
    if (limits.maxCostUsd !== undefined && ledger.costUsd >= limits.maxCostUsd) {
      this.#stop("max-cost", `$${ledger.costUsd.toFixed(2)} of $${limits.maxCostUsd} are spent`, {
        costUsd: ledger.costUsd,
      });
    }
    if (limits.maxTokens !== undefined && ledger.tokens >= limits.maxTokens) {
      this.#stop("max-tokens", `${ledger.tokens} of ${limits.maxTokens} tokens are used`, { tokens: ledger.tokens });
    }
  }

  /** With a cap set, a turn that does not say what it took can't be counted: the run stops rather than guesses. */
  #checkUsage(call: SubagentSpawnOptions, result: SubagentResult): void {
    const { limits } = this.#options;
    if (!result.success) return;
    const { usage } = result;
    const who = call.agent ?? "the agent";
    const cost = usage?.costUsd;
    if (limits.maxCostUsd !== undefined && !(typeof cost === "number" && Number.isFinite(cost) && cost >= 0)) {
      this.#stop("usage-unknown", `${who} does not say what its turn cost, so --max-cost can't be kept`, {});
    }
    const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
    if (limits.maxTokens !== undefined && !(Number.isFinite(tokens) && tokens > 0)) {
      this.#stop(
        "usage-unknown",
        `${who} does not say how many tokens its turn took, so --max-tokens can't be kept`,
        {},
      );
    }
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
    const backoff = Math.min(firstBackoffMs * 2 ** this.#failuresInARow++, longestBackoffMs);
    // A time that has passed already is no help: asking again at once would go on for ever.
    const isKnown = failure.resetAt !== undefined && failure.resetAt > now;
    const until = isKnown ? failure.resetAt : now + backoff;
    if (ledger.waitedMs + (until - now) > limits.maxWaitMinutes * 60_000) {
      this.#stop(
        "max-wait",
        `the limit ends at ${new Date(until).toISOString()}, later than --max-wait allows (${failure.message})`,
        { until },
      );
    }
    if (until <= this.#waitUntil) return;
    this.#waitUntil = until;
    call.context?.emit("limit.waiting", { until, kind: failure.kind, message: failure.message });
  }

  /** A limit counts for the whole account: nobody starts before it ends, also after a restart. */
  async #sitOutLimit(signal: AbortSignal | undefined): Promise<void> {
    const { clock, ledger } = this.#options;
    for (;;) {
      const left = Math.max(this.#waitUntil, ledger.waitUntil) - clock.now();
      if (left <= 0) return;
      await clock.sleep(left, signal);
    }
  }

  #waitForPerson(problem: string): never {
    this.#options.pause("needs-human", { problem });
    throw new Error(problem);
  }

  #stop(limit: LimitName, why: string, details: Readonly<Record<string, Json>>): never {
    this.#options.pause("budget", { limit, message: why, ...details });
    throw new Error(why);
  }
}
