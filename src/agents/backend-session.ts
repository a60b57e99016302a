// The backend's side of a session: the little that differs between programs. A backend session starts turns, reports
// what the program says to the turn's sink, and stops on request. It need not care about order, duplicates, limits,
// queues or what comes after the end of a turn: guarded-session.ts and turn-guard.ts do, for all backends alike.

import type { AgentEvent, EventIds, TurnProgressEvent } from "./events.ts";
import type { TurnFailure } from "./failures.ts";
import type { CompactResult, ContextUsage, TurnOptions } from "./port.ts";
import type { AgentQuestion, QuestionHandler, QuestionReply } from "./questions.ts";
import type { ToolServerControl } from "./tool-servers.ts";
import type { Usage } from "./usage.ts";

export interface BackendSession {
  /** Known from the start: what `resume` takes. */
  readonly id: string;
  /** The model asked for at `open`. */
  readonly model: string | undefined;
  /** Whether `served` is what was asked: programs take short names (`sonnet`) and answer with long ones. */
  isSameModel(asked: string, served: string): boolean;
  /**
   * Hands the prompt to the program; may return before the turn is over. What it throws, at once or later, fails the
   * turn. Called for one turn at a time.
   */
  start(prompt: string, sink: TurnSink, options: TurnOptions): void | Promise<void>;
  /** Asks the program to stop the turn. The end is still reported to the sink. What it throws counts as no answer. */
  interrupt(): void | Promise<void>;
  /**
   * The guard has given the turn up: it timed out, or an interrupt got no answer. Ends whatever still works on it, by
   * force if need be, so that the next `start` finds a session that can be used (or fails in a clear way).
   */
  abandon(): void | Promise<void>;
  compact(focus: string | undefined): Promise<CompactResult>;
  contextUsage(): Promise<ContextUsage>;
  /** Absent where the backend lacks the capability `toolServers`. */
  readonly servers?: ToolServerControl | undefined;
  close(): Promise<void>;
}

type WithoutIds<Event> = Event extends EventIds ? Omit<Event, "sessionId" | "turnId"> : never;

/** What the guard says itself, and a backend session can't. */
type GuardsOwn = "turn.started" | "question.asked" | "question.answered" | "question.declined" | "model.substituted";

export type BackendEvent = WithoutIds<Exclude<TurnProgressEvent, { type: GuardsOwn }>>;

export type PublishedEvent = WithoutIds<AgentEvent>;

/** What a backend session knows at the end of a turn; the guard has the rest. */
export interface TurnResult {
  /** The final message, when the program states it. Absent: the last message that was reported. */
  readonly text?: string | undefined;
  /** The turn's total, when the program states it. Absent: the sum of what was reported. */
  readonly usage?: Usage | undefined;
}

export interface TurnSink {
  readonly turnId: string;
  /** Aborts when the turn is to end or has ended. Give it to whatever waits on behalf of the turn. */
  readonly signal: AbortSignal;
  /** After the end everything reported here is dropped. */
  readonly isOver: boolean;
  /** Takes the event over: the backend session makes a new one each time, and keeps none. */
  emit(event: BackendEvent): void;
  /** A sign of life that is not an event: a keep-alive, or bytes of an incomplete message. */
  touch(): void;
  /**
   * Puts a question to the user, or to `handler` when the backend knows the answer itself. Never rejects; an
   * interrupted turn declines it with reason `interrupted`.
   */
  ask(question: Omit<AgentQuestion, "id">, handler?: QuestionHandler): Promise<QuestionReply>;
  /** The program says that it is done. Where nothing was said or done, that is a failure. */
  complete(result?: TurnResult): void;
  /** After an interrupt was asked for, a failure counts as its answer. */
  fail(failure: TurnFailure, result?: TurnResult): void;
  interrupted(result?: TurnResult): void;
  /** The program's stream is over. Unless the turn has ended before, that is a failure. */
  streamEnded(facts?: {
    readonly exitCode?: number | undefined;
    readonly signal?: string | undefined;
    readonly stderr?: string | undefined;
  }): void;
}
