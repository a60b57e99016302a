// What an agent says about an error beside its message. Most send only "Internal error" as the message and the reason in
// `data`, whose shape the protocol leaves open: a text, an object of the agent's own, or the error of the model's
// service as it came.

import { asFields, textIn, type Fields } from "../fields.ts";
import type { RpcError } from "./rpc-peer.ts";

const maxChars = 4000;
const maxDepth = 5;
/** Where it happened in the agent's program does not explain the failure. */
const skipped: ReadonlySet<string> = new Set(["stack", "stackTrace", "requestId", "request_id", "sessionId"]);
/** In which field a sentence for a user is, in order of preference. */
const sentences = ["message", "details", "detail", "reason", "error", "cause", "description", "body"];
const statusNames = ["status", "statusCode", "status_code", "httpStatus", "http_status", "httpStatusCode", "code"];
const generic = /^(?:internal error|internal server error|server error|request failed|unknown error|error)?[.:]?$/i;

/** The error in one text for humans: its message, or what `data` says where the message says nothing. */
export function rpcErrorText(error: RpcError): string {
  const message = error.message.replace(/^Internal error: /, "").trim();
  if (!generic.test(message)) return message;
  return sentenceIn(error.data, 0) ?? wordsOf(error) ?? message;
}

/** All texts in `data`, to search for keywords: `rate_limit_error` is not a sentence but says a lot. */
export function wordsOf({ data }: Pick<RpcError, "data">): string | undefined {
  const words: string[] = [];
  collect(data, words, 0);
  const text = words.join(" ").trim().slice(0, maxChars);
  return text === "" ? undefined : text;
}

/** The HTTP status of the model's service, if it is a separate field. */
export function statusOf({ data }: Pick<RpcError, "data">): number | undefined {
  const seen: number[] = [];
  walk(data, 0, (fields) => {
    for (const name of statusNames) {
      const status = Number(fields[name]);
      if (Number.isInteger(status) && status >= 400 && status <= 599) seen.push(status);
    }
  });
  return seen[0];
}

/** The agent's own word for the kind of failure: a draft of the protocol. */
export function errorKindOf({ data }: Pick<RpcError, "data">): string {
  return textIn(asFields(data), "errorKind") ?? "";
}

function sentenceIn(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : unwrapped(value.trim(), depth);
  if (depth > maxDepth) return undefined;
  const fields = asFields(value);
  for (const name of sentences) {
    const sentence = sentenceIn(fields[name], depth + 1);
    if (sentence !== undefined) return sentence;
  }
  return undefined;
}

/** Services answer with JSON, and agents pass its text on as it is. */
function unwrapped(text: string, depth: number): string {
  const inner = /\{[\s\S]*\}/.exec(text)?.[0];
  if (inner === undefined) return text.slice(0, maxChars);
  try {
    return sentenceIn(JSON.parse(inner), depth + 1) ?? text.slice(0, maxChars);
  } catch (error) {
    if (error instanceof SyntaxError) return text.slice(0, maxChars);
    throw error;
  }
}

function collect(value: unknown, words: string[], depth: number): void {
  if (typeof value === "string") return void words.push(value);
  if (depth > maxDepth || typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) if (!skipped.has(name)) collect(inner, words, depth + 1);
}

function walk(value: unknown, depth: number, visit: (fields: Fields) => void): void {
  if (depth > maxDepth || typeof value !== "object" || value === null) return;
  visit(asFields(value));
  for (const inner of Object.values(value)) walk(inner, depth + 1, visit);
}
