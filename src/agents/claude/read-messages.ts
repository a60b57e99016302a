// What the program says, as far as this folder uses it. Messages come from another process and change with its
// versions: a known type is assumed to have its known fields; everything else is ignored.

import type { ClaudeModelUsage } from "./model-usage.ts";

export interface ContentBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
  readonly is_error?: unknown;
}

/** One content block of an answer; the blocks of one answer share `message.id`. */
export interface ClaudeAssistantMessage {
  readonly type: "assistant";
  readonly message: { readonly id: string; readonly model: string; readonly content: readonly ContentBlock[] };
  readonly parent_tool_use_id: string | null;
  /** The program made this message up to report a failure: `rate_limit`, `authentication_failed`, … */
  readonly error?: string;
}

/** What tools returned; also prompts, and remarks of the program to the model. */
export interface ClaudeUserMessage {
  readonly type: "user";
  readonly message: { readonly content: string | readonly ContentBlock[] };
  readonly parent_tool_use_id: string | null;
  /** Of the only tool result in it, in the tool's own form. */
  readonly tool_use_result?: unknown;
}

/** What the model's service counted. Services other than Anthropic's leave out any part of it, or all. */
export interface ServiceUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/** A piece of an answer, as the model's service streamed it. There are more types of events; these are used. */
export interface StreamMessage {
  readonly type: "stream_event";
  readonly event: StreamStart | StreamBlock | StreamDelta | StreamEnd;
  readonly parent_tool_use_id: string | null;
}
export interface StreamStart {
  readonly type: "message_start";
  readonly message: {
    readonly id: string;
    readonly model: string;
    readonly usage?: ServiceUsage;
  };
}
export interface StreamBlock {
  readonly type: "content_block_start";
  readonly index: number;
}
export interface StreamDelta {
  readonly type: "content_block_delta";
  readonly delta: { readonly type: string; readonly text?: string; readonly thinking?: string };
}

/** After the last block of an answer. */
export interface StreamEnd {
  readonly type: "message_delta";
  readonly usage?: ServiceUsage;
}

export interface ResultMessage {
  readonly type: "result";
  readonly subtype: string;
  readonly is_error: boolean;
  readonly num_turns: number;
  /** With subtype `success`: the last text, or with `is_error` the error. */
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly api_error_status?: number | null;
  readonly terminal_reason?: string;
  /** Of the last answer of the model: `end_turn`, `refusal`, `max_tokens`, … */
  readonly stop_reason?: string | null;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_input_tokens: number;
    readonly cache_creation_input_tokens: number;
  };
  readonly modelUsage: Readonly<Record<string, ClaudeModelUsage>>;
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
}

export interface RateLimitMessage {
  readonly type: "rate_limit_event";
  readonly rate_limit_info: {
    readonly status: string;
    /** Seconds since the epoch. */
    readonly resetsAt?: number;
    readonly rateLimitType?: string;
    readonly utilization?: number;
  };
}

interface System<Subtype extends string> {
  readonly type: "system";
  readonly subtype: Subtype;
}
export type StateMessage = System<"session_state_changed"> & { readonly state: string };
export type RetryMessage = System<"api_retry"> & {
  readonly attempt: number;
  readonly retry_delay_ms: number;
  readonly error_status: number | null;
  readonly error: string;
};
export type TaskStartedMessage = System<"task_started"> & {
  readonly task_id: string;
  readonly tool_use_id?: string;
  readonly task_type?: string;
  readonly subagent_type?: string;
  readonly description: string;
  readonly prompt?: string;
  readonly is_backgrounded?: boolean;
  readonly parent_task_id?: string;
};
export type TaskEndedMessage = System<"task_notification"> & {
  readonly task_id: string;
  readonly status: string;
  readonly summary: string;
};
export type BackgroundMessage = System<"background_tasks_changed"> & {
  readonly tasks: readonly { readonly task_type: string; readonly ambient?: boolean }[];
};
export type CompactedMessage = System<"compact_boundary"> & {
  readonly compact_metadata: { readonly pre_tokens: number; readonly post_tokens?: number };
};
export type StatusMessage = System<"status"> & { readonly compact_error?: string };
export type HookMessage = System<"hook_response"> & {
  readonly hook_name: string;
  readonly outcome: string;
  readonly stderr: string;
};
export type InformationMessage = System<"informational"> & { readonly content: string; readonly level: string };
export type CommandOutputMessage = System<"local_command_output"> & { readonly content: string };
export type RefusalMessage = System<"model_refusal_fallback" | "model_refusal_no_fallback"> & {
  readonly content: string;
};
export type InitMessage = System<"init">;

export type SystemMessage =
  | StateMessage
  | RetryMessage
  | TaskStartedMessage
  | TaskEndedMessage
  | BackgroundMessage
  | CompactedMessage
  | StatusMessage
  | HookMessage
  | InformationMessage
  | CommandOutputMessage
  | RefusalMessage
  | InitMessage;

export type ClaudeMessage =
  | ClaudeAssistantMessage
  | ClaudeUserMessage
  | StreamMessage
  | ResultMessage
  | RateLimitMessage
  | SystemMessage;

const types: ReadonlySet<unknown> = new Set<ClaudeMessage["type"]>([
  "assistant",
  "user",
  "stream_event",
  "result",
  "rate_limit_event",
]);

const subtypes: ReadonlySet<unknown> = new Set<SystemMessage["subtype"]>([
  "session_state_changed",
  "api_retry",
  "task_started",
  "task_notification",
  "background_tasks_changed",
  "compact_boundary",
  "status",
  "hook_response",
  "informational",
  "local_command_output",
  "model_refusal_fallback",
  "model_refusal_no_fallback",
  "init",
]);

/** Whether this folder knows the message. The others are signs of life, and nothing more. */
export function isKnownMessage(message: unknown): message is ClaudeMessage {
  if (typeof message !== "object" || message === null) return false;
  const { type, subtype } = message as { readonly type?: unknown; readonly subtype?: unknown };
  if (type === "stream_event") return true;
  return type === "system" ? subtypes.has(subtype) : types.has(type);
}

/** The text of a tool's result: a string, or blocks of which some are text. */
export function toolResultText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((block: unknown) => {
      if (typeof block !== "object" || block === null) return "";
      if ("text" in block && typeof block.text === "string") return block.text;
      return "type" in block && block.type === "image" ? "[image]" : "";
    })
    .filter((text) => text !== "")
    .join("\n");
}
