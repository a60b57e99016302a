// What OpenCode's server says, narrowed to what this backend reads: messages, parts, states of a session. Everything
// from outside passes one of these functions, which return undefined for invalid input; fields that are not needed
// here are ignored. Written by hand, because a turn has hundreds of them and a schema library costs more than all the
// rest of a turn. The version they were seen with is in docs/agents.md.

import { fieldsOf, type Fields } from "../fields.ts";
import { listOf, numberOf, textOf } from "./fields.ts";

export interface OpencodeError {
  readonly name: string;
  readonly data: Fields;
}

export interface ModelRef {
  readonly providerID: string;
  readonly modelID: string;
}

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache: { readonly read: number; readonly write: number };
}

export interface OpencodeUserMessage {
  readonly role: "user";
  readonly id: string;
  readonly sessionID: string;
  readonly model: ModelRef;
}

export interface OpencodeAssistantMessage extends ModelRef {
  readonly role: "assistant";
  readonly id: string;
  readonly sessionID: string;
  /** The user message it answers. */
  readonly parentID: string;
  /** True for the summary of a compaction, which is not an answer. */
  readonly isSummary: boolean;
  readonly isCompleted: boolean;
  /** Why the model stopped; absent until it has. */
  readonly finish: string | undefined;
  readonly error: OpencodeError | undefined;
  readonly tokens: TokenCounts;
}

export type Message = OpencodeUserMessage | OpencodeAssistantMessage;

interface PartPlace {
  readonly id: string;
  readonly messageID: string;
  readonly sessionID: string;
}

export interface ToolState {
  readonly status: "pending" | "running" | "completed" | "error";
  readonly input: Fields;
  readonly metadata: Fields;
  /** What it returned, or why it failed. */
  readonly output: string;
}

export type Part = PartPlace &
  (
    | { readonly type: "text" | "reasoning"; readonly text: string }
    | { readonly type: "tool"; readonly tool: string; readonly state: ToolState }
    | { readonly type: "step-finish"; readonly cost: number; readonly tokens: TokenCounts }
    /** Files, patches, snapshots and whatever comes later. */
    | { readonly type: "other" }
  );
export type ToolPart = Extract<Part, { type: "tool" }>;

export interface RetryStatus {
  readonly type: "retry";
  readonly attempt: number;
  readonly message: string;
  /** When it tries again, in milliseconds since the epoch. */
  readonly next: number;
}

export type Status = { readonly type: "idle" | "busy" } | RetryStatus;

export function parseError(value: unknown): OpencodeError | undefined {
  const error = fieldsOf(value);
  const name = textOf(error?.["name"]);
  return name === undefined ? undefined : { name, data: fieldsOf(error?.["data"]) ?? {} };
}

export function parseMessage(value: unknown): Message | undefined {
  const message = fieldsOf(value);
  const id = textOf(message?.["id"]);
  const sessionID = textOf(message?.["sessionID"]);
  if (message === undefined || id === undefined || sessionID === undefined) return undefined;
  if (message["role"] === "assistant") return parseAnswer(message, id, sessionID);
  const model = parseModel(message["model"]);
  return message["role"] === "user" && model !== undefined ? { role: "user", id, sessionID, model } : undefined;
}

function parseAnswer(message: Fields, id: string, sessionID: string): OpencodeAssistantMessage | undefined {
  const parentID = textOf(message["parentID"]);
  const model = parseModel(message);
  const tokens = parseTokens(message["tokens"]);
  if (parentID === undefined || model === undefined || tokens === undefined) return undefined;
  return {
    role: "assistant",
    id,
    sessionID,
    parentID,
    ...model,
    isSummary: message["summary"] === true,
    isCompleted: typeof fieldsOf(message["time"])?.["completed"] === "number",
    finish: textOf(message["finish"]),
    error: parseError(message["error"]),
    tokens,
  };
}

function parseModel(value: unknown): ModelRef | undefined {
  const model = fieldsOf(value);
  const providerID = textOf(model?.["providerID"]);
  const modelID = textOf(model?.["modelID"]);
  return providerID === undefined || modelID === undefined ? undefined : { providerID, modelID };
}

function parseTokens(value: unknown): TokenCounts | undefined {
  const tokens = fieldsOf(value);
  const cache = fieldsOf(tokens?.["cache"]);
  const input = numberOf(tokens?.["input"]);
  const output = numberOf(tokens?.["output"]);
  if (tokens === undefined || input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    reasoning: numberOf(tokens["reasoning"]) ?? 0,
    cache: { read: numberOf(cache?.["read"]) ?? 0, write: numberOf(cache?.["write"]) ?? 0 },
  };
}

export function parsePart(value: unknown): Part | undefined {
  const part = fieldsOf(value);
  const id = textOf(part?.["id"]);
  const messageID = textOf(part?.["messageID"]);
  const sessionID = textOf(part?.["sessionID"]);
  if (part === undefined || id === undefined || messageID === undefined || sessionID === undefined) return undefined;
  switch (part["type"]) {
    case "text":
    case "reasoning": {
      const text = textOf(part["text"]);
      return text === undefined ? undefined : { id, messageID, sessionID, type: part["type"], text };
    }
    case "tool": {
      const tool = textOf(part["tool"]);
      const state = parseToolState(part["state"]);
      return tool === undefined || state === undefined
        ? undefined
        : { id, messageID, sessionID, type: "tool", tool, state };
    }
    case "step-finish": {
      const cost = numberOf(part["cost"]);
      const tokens = parseTokens(part["tokens"]);
      if (cost === undefined || tokens === undefined) return undefined;
      return { id, messageID, sessionID, type: "step-finish", cost, tokens };
    }
    default:
      return { id, messageID, sessionID, type: "other" };
  }
}

function parseToolState(value: unknown): ToolState | undefined {
  const state = fieldsOf(value);
  const status = state?.["status"];
  if (state === undefined) return undefined;
  if (status !== "pending" && status !== "running" && status !== "completed" && status !== "error") return undefined;
  const output = textOf(state[status === "error" ? "error" : "output"]);
  if (output === undefined && (status === "completed" || status === "error")) return undefined;
  return {
    status,
    input: fieldsOf(state["input"]) ?? {},
    metadata: fieldsOf(state["metadata"]) ?? {},
    output: output ?? "",
  };
}

export function parseStatus(value: unknown): Status | undefined {
  const status = fieldsOf(value);
  if (status?.["type"] === "idle" || status?.["type"] === "busy") return { type: status["type"] };
  const [attempt, message, next] = [
    numberOf(status?.["attempt"]),
    textOf(status?.["message"]),
    numberOf(status?.["next"]),
  ];
  if (status?.["type"] !== "retry" || attempt === undefined || message === undefined || next === undefined)
    return undefined;
  return { type: "retry", attempt, message, next };
}

export type SessionTranscript = readonly { readonly info: Message; readonly parts: readonly Part[] }[];

export function parseTranscript(value: unknown): SessionTranscript | undefined {
  return listOf(value, (item) => {
    const entry = fieldsOf(item);
    const [info, parts] = [parseMessage(entry?.["info"]), listOf(entry?.["parts"], parsePart)];
    return info === undefined || parts === undefined ? undefined : { info, parts };
  });
}
