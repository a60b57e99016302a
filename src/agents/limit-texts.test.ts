import { expect, test } from "bun:test";
import type { FailureKind } from "./failures.ts";
import { classifyFailure } from "./limit-texts.ts";

const now = Date.UTC(2026, 6, 19, 15, 0);

interface Case {
  readonly text: string;
  readonly kind: FailureKind;
  readonly status?: number;
  readonly resetAt?: number;
}

const cases: readonly Case[] = [
  // Claude Code
  { text: "Claude AI usage limit reached|1784480400", kind: "rate_limited", resetAt: 1_784_480_400_000 },
  {
    text: "You've hit your session limit · resets 10:30pm (Europe/Berlin)",
    kind: "rate_limited",
    resetAt: Date.UTC(2026, 6, 19, 20, 30),
  },
  { text: "You've hit your limit · resets 10pm (UTC)", kind: "rate_limited", resetAt: Date.UTC(2026, 6, 19, 22, 0) },
  {
    text: "Opus weekly limit reached ∙ resets Oct 31, 9am (UTC)",
    kind: "rate_limited",
    resetAt: Date.UTC(2026, 9, 31, 9, 0),
  },
  {
    text: 'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your account\'s rate limit. Please try again later."}}',
    kind: "rate_limited",
    status: 429,
  },
  {
    text: 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    kind: "overloaded",
    status: 529,
  },
  { text: "API Error: Repeated 529 Overloaded errors", kind: "overloaded" },
  {
    text: 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}',
    kind: "overloaded",
    status: 500,
  },
  {
    text: 'Please run /login · API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
    kind: "auth",
    status: 401,
  },
  { text: "Invalid API key · Please run /login", kind: "auth" },
  { text: "Not logged in · Please run /login", kind: "auth" },
  { text: "Credit balance is too low", kind: "budget" },
  {
    text: 'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}',
    kind: "budget",
    status: 400,
  },
  { text: "Prompt is too long", kind: "context_overflow" },
  {
    text: "The provider rejected the prompt as too long, but automatic recovery could not reduce it.",
    kind: "context_overflow",
  },
  {
    text: "API Error: 400 input length and `max_tokens` exceed context limit: 195000 + 20000 > 200000",
    kind: "context_overflow",
    status: 400,
  },
  {
    text: 'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"bad thing"}}',
    kind: "refused",
    status: 400,
  },
  {
    text: "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy",
    kind: "refused",
  },
  { text: "API Error: Connection error.", kind: "overloaded" },
  { text: "API Error: Request timed out.", kind: "timeout" },
  // OpenCode and the providers behind it
  { text: "Too Many Requests", kind: "rate_limited" },
  {
    text: "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000. Please try again in 1.2s.",
    kind: "rate_limited",
    resetAt: now + 1200,
  },
  { text: "You exceeded your current quota, please check your plan and billing details.", kind: "budget" },
  { text: "Free usage exceeded, subscribe to Go", kind: "budget" },
  { text: "Weekly usage limit reached", kind: "rate_limited" },
  {
    text: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    kind: "context_overflow",
  },
  { text: "Incorrect API key provided: test-key.", kind: "auth" },
  { text: "Unable to connect. Is the computer able to access the url?", kind: "overloaded" },
  { text: "Model not found: fake/none", kind: "refused" },
  // Copilot
  {
    text: "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 2 hours.",
    kind: "rate_limited",
    resetAt: now + 7_200_000,
  },
  {
    text: "Sorry, you have been rate-limited. Please wait 2 minutes before trying again or consider switching to Auto.",
    kind: "rate_limited",
    resetAt: now + 120_000,
  },
  {
    text: "You've reached your weekly rate limit. Please wait for your limit to reset on April 20, 2027 at 2:00 AM (UTC) or switch to auto model to continue.",
    kind: "rate_limited",
    resetAt: Date.UTC(2027, 3, 20, 2, 0),
  },
  { text: 'Model call failed: {"message":"rate limit exceeded","code":"rate_limited"}', kind: "rate_limited" },
  { text: "Error: (user_weekly_rate_limited) Sorry, you've exceeded your weekly rate limit.", kind: "rate_limited" },
  { text: '402 {"error":{"message":"You have no quota","code":"quota_exceeded"}}', kind: "budget", status: 402 },
  { text: "Session was not created with authentication info or custom provider", kind: "auth" },
  { text: "Execution failed: Error: Failed to get response from the AI model; retried 5 times", kind: "overloaded" },
  // Anything else
  { text: "Segmentation fault", kind: "crashed" },
  { text: "", kind: "crashed" },
];

for (const { text, kind, status, resetAt } of cases) {
  test(`classifyFailure takes ${JSON.stringify(text.slice(0, 70))} for ${kind}`, () => {
    const failure = classifyFailure(text, { now });

    expect(failure.kind).toBe(kind);
    expect(failure.resetAt).toBe(resetAt as number);
    if (status !== undefined) expect(failure.status).toBe(status);
  });
}

const byStatus: readonly (readonly [number, string, FailureKind])[] = [
  [429, "slow down", "rate_limited"],
  [401, "bad key", "auth"],
  [403, "API rate limit exceeded for user ID 7", "rate_limited"],
  [403, "forbidden", "auth"],
  [402, "pay", "budget"],
  [413, "too big", "context_overflow"],
  [404, "model x", "refused"],
  [500, "the connection timed out upstream", "overloaded"],
  [529, "busy", "overloaded"],
];

for (const [status, text, kind] of byStatus) {
  test(`classifyFailure takes status ${status} with "${text}" for ${kind}`, () => {
    expect(classifyFailure(text, { now, status }).kind).toBe(kind);
  });
}

test("classifyFailure prefers the reset time of a header to that of the text", () => {
  const failure = classifyFailure("try again in 5m", { now, status: 429, headers: { "retry-after": "7" } });

  expect(failure.resetAt).toBe(now + 7000);
});

test("classifyFailure marks what may pass by itself as retryable", () => {
  expect(classifyFailure("Overloaded", { now }).retryable).toBe(true);
  expect(classifyFailure("Credit balance is too low", { now }).retryable).toBe(false);
});
