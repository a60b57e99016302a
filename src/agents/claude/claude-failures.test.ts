import { expect, test } from "bun:test";
import { resultFailure, claudeRetryFailure } from "./claude-failures.ts";
import type { ResultMessage } from "./read-messages.ts";

const now = Date.UTC(2026, 3, 20, 12);

function result(facts: Partial<ResultMessage>): ResultMessage {
  return {
    type: "result",
    subtype: "success",
    is_error: true,
    num_turns: 1,
    usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    modelUsage: {},
    ...facts,
  };
}

test("resultFailure goes by the program's category where the text is vague", () => {
  const kind = (category: string, text = "Something happened"): string =>
    resultFailure(result({ result: text }), { now, category }).kind;

  expect(kind("authentication_failed", "Please run /login")).toBe("auth");
  expect(kind("cloud_credential_error")).toBe("auth");
  expect(kind("billing_error")).toBe("budget");
  expect(kind("rate_limit")).toBe("rate_limited");
  expect(kind("overloaded")).toBe("overloaded");
  expect(kind("server_error")).toBe("overloaded");
  expect(kind("model_not_found")).toBe("refused");
});

test("resultFailure goes by the words where they say more than the category", () => {
  const failure = resultFailure(result({ result: "Credit balance is too low", api_error_status: 400 }), {
    now,
    category: "rate_limit",
  });
  expect(failure).toMatchObject({ kind: "budget", retryable: false, status: 400 });
});

test("resultFailure reads when a limit ends from the text, or from what the program reported before", () => {
  const limited = "You've hit your session limit · resets 3pm (UTC)";
  expect(resultFailure(result({ result: limited }), { now, category: "rate_limit" }).resetAt).toBe(
    Date.UTC(2026, 3, 20, 15),
  );

  const told = { now, category: "rate_limit", limitResetAt: now + 60_000 };
  expect(resultFailure(result({ result: "You've hit your limit" }), told).resetAt).toBe(now + 60_000);
  expect(
    resultFailure(result({ result: "API Error: 500" }), { now, limitResetAt: now + 60_000 }).resetAt,
  ).toBeUndefined();
});

test("resultFailure knows limits of the program itself", () => {
  const failed = (facts: Partial<ResultMessage>): string => resultFailure(result(facts), { now }).kind;

  expect(failed({ subtype: "error_max_budget_usd", errors: ["Reached maximum budget ($1)"] })).toBe("budget");
  expect(failed({ subtype: "error_max_turns", errors: ["Reached maximum number of turns (3)"] })).toBe("refused");
  expect(failed({ terminal_reason: "prompt_too_long", result: "Prompt is too long" })).toBe("context_overflow");
  expect(failed({ subtype: "error_during_execution", errors: [] })).toBe("crashed");
});

test("retryFailure names the status, or that there was no answer", () => {
  expect(claudeRetryFailure("overloaded", 529)).toMatchObject({ kind: "overloaded", status: 529 });
  expect(claudeRetryFailure("rate_limit", 429)).toMatchObject({ kind: "rate_limited", status: 429 });
  expect(claudeRetryFailure("unknown", null)).toMatchObject({ kind: "overloaded", retryable: true });
});
