// What happens in a turn. One union for all backends. All of it is progress: readers show and fold it,
// nothing here stores it. Every event names its session and turn, and its sub-agent if it comes from one;
// the tree of sub-agents is a fold over `subagent.started`.
//
// Order, kept by turn-guard.ts for every backend: `turn.started` first; a tool and a sub-agent start before anything
// else is reported about them, and end once; exactly one of `turn.completed`, `turn.failed`, `turn.interrupted`, last.

import type { Json } from "../lib/json.ts";
import type { TurnFailure } from "./failures.ts";
import type { DeclineReason, AgentQuestion } from "./questions.ts";
import type { FileChange } from "./tool-changes.ts";
import type { Usage } from "./usage.ts";

export interface EventIds {
  readonly sessionId: string;
  readonly turnId: string;
  /** The sub-agent this is about; absent: the agent of the session. */
  readonly agentId?: string | undefined;
}

type About<Type extends string, Facts> = EventIds & { readonly type: Type } & Facts;

export type TurnStarted = About<"turn.started", { readonly agent: string; readonly modelAsked: string | undefined }>;

/** A piece of text as it is written. Pieces of one message share its id. */
export type TextDelta = About<"text.delta", { readonly messageId: string; readonly text: string }>;
export type ReasoningDelta = About<"reasoning.delta", { readonly messageId: string; readonly text: string }>;
/** The whole text of a message, after its pieces (a backend that does not stream sends only this). */
export type MessageFinished = About<"message.finished", { readonly messageId: string; readonly text: string }>;

export type ToolStarted = About<
  "tool.started",
  {
    readonly toolCallId: string;
    /** The program's own name of the tool: `Bash`, `bash`, `create`. */
    readonly name: string;
    readonly kind: ToolKind;
    readonly input: Json;
  }
>;
/** What a row on a screen needs to know about a tool, whatever the program calls it. */
export type ToolKind = "read" | "write" | "shell" | "search" | "web" | "subagent" | "question" | "todo" | "other";
export type ToolProgressed = About<"tool.progressed", { readonly toolCallId: string; readonly output: string }>;
export type ToolFinished = About<
  "tool.finished",
  {
    readonly toolCallId: string;
    readonly name: string;
    /** `interrupted`: the turn ended before the tool did. */
    readonly outcome: "ok" | "failed" | "interrupted";
    /** Clipped in the middle when it was long; `outputChars` is the full length, as far as the program reports it. */
    readonly output: string;
    readonly outputChars: number;
    readonly exitCode?: number | undefined;
    /** Files that it changed, each once, where the program or the call's input says so. */
    readonly changes?: readonly FileChange[] | undefined;
  }
>;

/** `agentId` is the new sub-agent, `parentId` the one that started it (absent: the agent of the session). */
export type SubagentStarted = About<
  "subagent.started",
  {
    readonly agentId: string;
    readonly parentId: string | undefined;
    readonly name: string;
    readonly task: string;
    /** The tool call it came from, when there is one. */
    readonly toolCallId?: string | undefined;
    readonly isBackground: boolean;
  }
>;
export type SubagentFinished = About<
  "subagent.finished",
  { readonly agentId: string; readonly outcome: "completed" | "failed" | "interrupted"; readonly text: string }
>;

export type QuestionAsked = About<"question.asked", { readonly question: AgentQuestion }>;
export type QuestionAnswered = About<
  "question.answered",
  { readonly questionId: string; readonly answers: readonly (readonly string[])[] }
>;
export type QuestionDeclined = About<
  "question.declined",
  { readonly questionId: string; readonly reason: DeclineReason; readonly message?: string | undefined }
>;

/** Tokens of one call of the model: an addition, not a total. The terminal event has the total. */
export type UsageReported = About<"usage.reported", { readonly usage: Usage }>;
export type ModelServed = About<"model.served", { readonly model: string }>;
/** The model that answers is not the one that was asked for. Said once per model and turn. */
export type ModelSubstituted = About<"model.substituted", { readonly asked: string; readonly served: string }>;
export type ContextMeasured = About<
  "context.measured",
  { readonly usedTokens: number; readonly maxTokens: number | undefined }
>;
/** The program shortened the conversation by itself. */
export type ContextCompacted = About<
  "context.compacted",
  { readonly beforeTokens?: number | undefined; readonly afterTokens?: number | undefined }
>;
/** The program met a passing failure and tries again by itself. */
export type RetryScheduled = About<
  "retry.scheduled",
  { readonly attempt: number; readonly delayMs: number | undefined; readonly failure: TurnFailure }
>;
/** Something the user should know that ends nothing: a warning of the program, a hook that failed. */
export type NoticeRaised = About<"notice.raised", { readonly level: "info" | "warning"; readonly message: string }>;

export interface TurnEnd extends EventIds {
  /** The final message of the agent; on failure and interruption, what it had written so far. */
  readonly text: string;
  readonly modelAsked: string | undefined;
  readonly modelServed: string | undefined;
  /** All calls of this turn, sub-agents included. */
  readonly usage: Usage;
  readonly durationMs: number;
}
export type TurnCompleted = TurnEnd & { readonly type: "turn.completed" };
export type TurnFailed = TurnEnd & { readonly type: "turn.failed"; readonly failure: TurnFailure };
export type TurnInterrupted = TurnEnd & {
  readonly type: "turn.interrupted";
  /** `unanswered`: the program did not confirm in time and was ended. */
  readonly by: "caller" | "closed" | "agent";
  readonly isUnanswered: boolean;
};

export type TerminalEvent = TurnCompleted | TurnFailed | TurnInterrupted;

export type TurnProgressEvent =
  | TurnStarted
  | TextDelta
  | ReasoningDelta
  | MessageFinished
  | ToolStarted
  | ToolProgressed
  | ToolFinished
  | SubagentStarted
  | SubagentFinished
  | QuestionAsked
  | QuestionAnswered
  | QuestionDeclined
  | UsageReported
  | ModelServed
  | ModelSubstituted
  | ContextMeasured
  | ContextCompacted
  | RetryScheduled
  | NoticeRaised;

export type AgentEvent = TurnProgressEvent | TerminalEvent;

export function isTerminal(event: AgentEvent): event is TerminalEvent {
  return event.type === "turn.completed" || event.type === "turn.failed" || event.type === "turn.interrupted";
}
