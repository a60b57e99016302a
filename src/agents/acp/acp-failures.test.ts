import { expect, test } from "bun:test";
import { openError, promptFailure } from "./acp-failures.ts";
import { remarkIn, textFailure } from "./text-failures.ts";

const now = Date.UTC(2026, 0, 1);
const failureOf = (data: unknown, message = "Internal error") => promptFailure({ code: -32603, message, data }, now);

test.each<[string, unknown, string, string]>([
  ["a text", "unexpected status 401 Unauthorized", "auth", "unexpected status 401 Unauthorized"],
  ["details", { details: "429 Too Many Requests" }, "rate_limited", "429 Too Many Requests"],
  [
    "the service's own error",
    { error: { type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" } },
    "context_overflow",
    "prompt is too long: 250000 tokens > 200000 maximum",
  ],
  [
    "the service's answer as text",
    { message: '401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}' },
    "auth",
    "invalid x-api-key",
  ],
  [
    "a status and a sentence",
    { status: 503, reason: "The model is not there." },
    "overloaded",
    "The model is not there.",
  ],
  ["a status that is a text", { error: { code: "402", message: "Pay first." } }, "budget", "Pay first."],
  ["a category only", { type: "rate_limit_error" }, "rate_limited", "rate_limit_error"],
  ["nothing", undefined, "crashed", "Internal error"],
  ["a kind of the protocol's draft", { errorKind: "billing_error" }, "budget", "billing_error"],
])("an error with %s in its data is classified by it", (_, data, kind, message) => {
  expect(failureOf(data)).toMatchObject({ kind, message });
});

test("a message that says something stays, and data adds what it lacks", () => {
  const data = { error: { message: "Try again in 60 minutes." } };
  expect(failureOf(data, "Internal error: rate limit reached")).toMatchObject({
    kind: "rate_limited",
    message: "rate limit reached",
    resetAt: now + 3_600_000,
  });
  expect(failureOf({ service: "session", errorName: "APIError" }, "invalid x-api-key").message).toBe(
    "invalid x-api-key",
  );
});

test("data that refers to itself or has no end is read up to a limit", () => {
  const data: Record<string, unknown> = { message: "" };
  data["cause"] = data;
  expect(failureOf(data)).toMatchObject({ kind: "crashed", message: "Internal error" });
});

test("a session that can't be opened says why", () => {
  const error = { code: -32603, message: "Internal error", data: { details: "no API key is set" } };
  expect(openError("acp:x", error, undefined, []).message).toContain("no API key is set");
});

const kindOf = (text: string, more: Partial<Parameters<typeof textFailure>[0]> = {}) =>
  textFailure({ text, lastPiece: text, hasUsedTools: false, marksRemarks: false, ...more }, now)?.kind;

test.each<[string, string]>([
  ["API Error: 401 invalid x-api-key", "auth"],
  ["Error: 429 Too Many Requests", "rate_limited"],
  ["Claude AI usage limit reached|1767229200", "rate_limited"],
  ["Credit balance is too low", "budget"],
  ["Prompt is too long", "context_overflow"],
  ["Invalid API key · Please run /login", "auth"],
])('an answer that is nothing but "%s" is a failure of kind %s', (text, kind) => {
  expect(kindOf(text)).toBe(kind as never);
});

test("what may be an answer is not a failure", () => {
  expect(kindOf("I fixed the handling of 429 Too Many Requests.")).toBeUndefined();
  expect(kindOf("Error: the file is not there, so I made it.")).toBeUndefined();
  expect(kindOf("Error: 429 Too Many Requests", { hasUsedTools: true })).toBeUndefined();
  expect(kindOf(`Error: 429 ${"and so on ".repeat(200)}`)).toBeUndefined();
});

test("an agent that marks its remarks fails by its last one, whatever it is", () => {
  const lastPiece = "Error: Something of its own.";
  expect(kindOf(`Half an answer.${lastPiece}`, { lastPiece, marksRemarks: true, hasUsedTools: true })).toBe("crashed");
  expect(remarkIn("Warning: No token count multiplier is known for this model.")?.level).toBe("warning");
  expect(remarkIn("Info: Request failed due to a transient API error. Retrying...")?.level).toBe("info");
  expect(remarkIn("Warning: ")).toBeUndefined();
});
