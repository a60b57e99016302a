// One turn, guarded. Takes what a backend session reports in whatever order and completeness, and gives the reader the
// stream the port promises: exactly one terminal event, last; nothing after it; every open thing ended; no wait
// without a limit; and no end is taken for finished work when nothing was said or done. Silence counts only while no
// tool call and no question is open; an open tool has its own, longer limit. Leaves what is open to turn-ledger.ts,
// questions to open-questions.ts, the queue of turns to guarded-session.ts.

import type { Clock } from "../lib/clock.ts";
import { createDeferred } from "../lib/deferred.ts";
import type { PublishedEvent, BackendSession, TurnResult, TurnSink } from "./backend-session.ts";
import { createEventQueue } from "./event-queue.ts";
import type { AgentEvent, TerminalEvent, TurnEnd, TurnInterrupted } from "./events.ts";
import { failureOf, turnFailure, type TurnFailure } from "./failures.ts";
import type { TurnLimits } from "./limits.ts";
import { createOpenQuestions } from "./open-questions.ts";
import type { TurnOptions } from "./port.ts";
import type { QuestionHandler, QuestionReply } from "./questions.ts";
import { createTurnLedger, isBlank } from "./turn-ledger.ts";
import { silenceMessage, streamEndMessage } from "./turn-texts.ts";
import { plausibleUsage } from "./usage.ts";
import { nothingDone } from "./unfinished-turns.ts";
import { within } from "./within.ts";

export interface TurnGuardOptions {
  readonly backendSession: BackendSession;
  readonly prompt: string;
  readonly turn: TurnOptions;
  readonly turnId: string;
  /** What `turn.started` calls the agent. */
  readonly agent: string;
  readonly modelAsked: string | undefined;
  readonly limits: TurnLimits;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly onQuestion: QuestionHandler | undefined;
  /** Waits for the earlier turns of the session, then calls `begin`. */
  readonly enqueue: (begin: () => Promise<void>) => void;
  readonly onEnd: (end: TerminalEvent) => void;
}

export interface TurnGuard {
  readonly events: AsyncIterable<AgentEvent>;
  /** Resolves when the turn is over and the backend session is free for the next one. */
  interrupt(by: TurnInterrupted["by"]): Promise<void>;
  /** False when no such question is open. */
  answer(questionId: string, reply: QuestionReply): boolean;
}

/** One for all turns: an error for each, with its stack, would be a good part of what a short turn costs. */
const turnIsOver = new DOMException("The turn is over.", "AbortError");

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

type Ending =
  | { readonly type: "completed" }
  | { readonly type: "failed"; readonly failure: TurnFailure }
  | { readonly type: "interrupted"; readonly isUnanswered: boolean };

export function createTurnGuard(options: TurnGuardOptions): TurnGuard {
  const { backendSession, clock, limits, turnId, modelAsked } = options;
  const sessionId = backendSession.id;
  const stopping = new AbortController();
  const over = createDeferred<void>();
  const substituted = new Set<string>();
  let state: "waiting" | "running" | "over" = "waiting";
  let interruptedBy: TurnInterrupted["by"] | undefined;
  let hasAsked = false;
  let stopListening = (): void => {};
  let startedAt = 0;
  let lastSeen = 0;

  const queue = createEventQueue<AgentEvent>({ onStart: start, onAbandoned: () => interrupt("caller") });
  const publish = (event: PublishedEvent): void => {
    // Written into the event, which has no other holder: a copy of every piece of text would cost more than all the rest.
    const stamped = event as Mutable<AgentEvent>;
    stamped.sessionId = sessionId;
    stamped.turnId = turnId;
    queue.push(stamped);
  };
  const ledger = createTurnLedger(publish);
  const questions = createOpenQuestions({
    publish,
    newId: options.newId,
    now: () => clock.now(),
    onClosed: () => {
      lastSeen = clock.now();
      ledger.refresh(lastSeen);
    },
  });

  function start(): void {
    const signal = options.turn.signal;
    if (signal?.aborted === true) {
      interruptedBy = "caller";
      return finish({ type: "interrupted", isUnanswered: false });
    }
    if (signal !== undefined) {
      const onAbort = (): void => void interrupt("caller");
      signal.addEventListener("abort", onAbort, { once: true });
      stopListening = () => signal.removeEventListener("abort", onAbort);
    }
    options.enqueue(begin);
  }

  async function begin(): Promise<void> {
    if (state !== "waiting") return;
    state = "running";
    startedAt = lastSeen = clock.now();
    publish({ type: "turn.started", agent: options.agent, modelAsked });
    void watch();
    try {
      // A backend session that throws at once and one that rejects later fail the turn alike.
      Promise.resolve(backendSession.start(options.prompt, sink, options.turn)).catch((thrown: unknown) =>
        sink.fail(failureOf(thrown)),
      );
    } catch (thrown) {
      sink.fail(failureOf(thrown));
    }
    await over.promise;
  }

  const sink: TurnSink = {
    turnId,
    signal: stopping.signal,
    get isOver() {
      return state === "over";
    },
    emit(event) {
      if (state !== "running") return;
      lastSeen = clock.now();
      ledger.admit(event, lastSeen);
      if (event.type === "model.served" && event.agentId === undefined) noteSubstitution(event.model);
    },
    touch() {
      lastSeen = clock.now();
    },
    ask: (question, handler = options.onQuestion) => {
      if (state !== "running" || interruptedBy !== undefined)
        return Promise.resolve({ type: "declined", reason: "interrupted" });
      hasAsked = true;
      return questions.ask(question, handler);
    },
    complete: (result) => {
      if (ledger.hasDone || hasAsked || !isBlank(result?.text ?? "")) finish({ type: "completed" }, result);
      else sink.fail(nothingDone(options.agent), result);
    },
    fail: (failure, result) =>
      finish(
        interruptedBy === undefined ? { type: "failed", failure } : { type: "interrupted", isUnanswered: false },
        result,
      ),
    interrupted: (result) => finish({ type: "interrupted", isUnanswered: false }, result),
    streamEnded: (facts = {}) =>
      sink.fail(
        turnFailure(
          "crashed",
          streamEndMessage(options.agent, facts),
          facts.exitCode === undefined ? {} : { exitCode: facts.exitCode },
        ),
      ),
  };

  function noteSubstitution(served: string): void {
    if (modelAsked === undefined || substituted.has(served) || backendSession.isSameModel(modelAsked, served)) return;
    substituted.add(served);
    publish({ type: "model.substituted", asked: modelAsked, served });
  }

  async function watch(): Promise<void> {
    // A limit can become shorter while this sleeps (a tool ends), so it never sleeps longer than the shortest one.
    const maxSleepMs = Math.min(limits.silenceMs, limits.toolMs, limits.questionMs);
    // Once the turn is stopping, interrupt() has its own limit.
    while (state === "running" && !stopping.signal.aborted) {
      const limit = nextLimit();
      const leftMs = limit.at - clock.now();
      if (leftMs <= 0) await limit.passed();
      else await clock.sleep(Math.min(leftMs, maxSleepMs), stopping.signal).catch(() => {});
    }
  }

  function nextLimit(): { readonly at: number; readonly passed: () => void | Promise<void> } {
    const question = questions.oldest();
    if (question !== undefined) return { at: question.askedAt + limits.questionMs, passed: () => question.expire() };
    const tool = ledger.quietestTool();
    const [since, limitMs] = tool === undefined ? [lastSeen, limits.silenceMs] : [tool.lastSeen, limits.toolMs];
    return {
      at: since + limitMs,
      passed: () =>
        giveUp({ type: "failed", failure: turnFailure("timeout", silenceMessage(options.agent, limitMs, tool?.name)) }),
    };
  }

  async function interrupt(by: TurnInterrupted["by"]): Promise<void> {
    interruptedBy ??= by;
    if (state === "waiting") finish({ type: "interrupted", isUnanswered: false });
    if (state !== "running") return over.promise;
    questions.declineAll("interrupted");
    stopping.abort();
    // A rejected interrupt does not count as stopped: the limit below decides.
    Promise.resolve()
      .then(() => backendSession.interrupt())
      .catch(() => {});
    await within(over.promise, limits.interruptMs, clock);
    if (state === "running") await giveUp({ type: "interrupted", isUnanswered: true });
    return over.promise;
  }

  /**
   * Ends the turn for its reader at once, and frees the session when the backend session has cleaned up, or its limit
   * passed.
   */
  async function giveUp(ending: Ending): Promise<void> {
    end(ending, {});
    await within(
      Promise.resolve()
        .then(() => backendSession.abandon())
        .catch(() => {}),
      limits.closeMs,
      clock,
    );
    over.resolve();
  }

  function finish(ending: Ending, result: TurnResult = {}): void {
    if (state === "over") return;
    end(ending, result);
    // A reader that keeps up has seen the end of this turn before the next one starts.
    setImmediate(() => over.resolve());
  }

  function end(ending: Ending, result: TurnResult): void {
    questions.declineAll("interrupted");
    ledger.closeAll();
    const facts: TurnEnd = {
      sessionId,
      turnId,
      text: result.text ?? ledger.text,
      modelAsked,
      modelServed: ledger.modelServed,
      usage: result.usage === undefined ? ledger.usage : plausibleUsage(result.usage),
      durationMs: state === "running" ? clock.now() - startedAt : 0,
    };
    state = "over";
    const terminal = terminalEvent(ending, facts, interruptedBy);
    queue.push(terminal);
    queue.end();
    stopListening();
    stopping.abort(turnIsOver);
    options.onEnd(terminal);
  }

  return { events: queue.iterable, interrupt, answer: (id, reply) => questions.answer(id, reply) };
}

function terminalEvent(ending: Ending, facts: TurnEnd, by: TurnInterrupted["by"] | undefined): TerminalEvent {
  switch (ending.type) {
    case "completed":
      return { ...facts, type: "turn.completed" };
    case "failed":
      return { ...facts, type: "turn.failed", failure: ending.failure };
    case "interrupted":
      return { ...facts, type: "turn.interrupted", by: by ?? "agent", isUnanswered: ending.isUnanswered };
  }
}
