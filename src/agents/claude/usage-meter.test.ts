import { expect, test } from "bun:test";
import type { ClaudeModelUsage } from "./model-usage.ts";
import { createUsageMeter, remainder } from "./usage-meter.ts";

function totals(
  input: number,
  output: number,
  costUSD: number,
  extra: Partial<ClaudeModelUsage> = {},
): ClaudeModelUsage {
  return {
    inputTokens: input,
    outputTokens: output,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    contextWindow: 200_000,
    costUSD,
    ...extra,
  };
}

const usage = { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 2, cache_creation_input_tokens: 1 };

test("the usage meter gives what each result added, over all models", () => {
  const meter = createUsageMeter();

  expect(meter.read({ usage, modelUsage: { sonnet: totals(100, 10, 0.1) } })).toEqual({
    inputTokens: 100,
    outputTokens: 10,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costUsd: 0.1,
  });
  const second = { sonnet: totals(150, 30, 0.3), haiku: totals(5, 1, 0.01, { cacheReadInputTokens: 40 }) };
  expect(meter.read({ usage, modelUsage: second })).toEqual({
    inputTokens: 55,
    outputTokens: 21,
    cacheReadTokens: 40,
    cacheWriteTokens: 0,
    costUsd: 0.21,
  });
});

test("the usage meter leaves a guessed price out", () => {
  const meter = createUsageMeter();

  const first = meter.read({ usage, modelUsage: { mine: totals(100, 10, 0.1, { costBasis: "unknown" }) } });
  expect(first.costUsd).toBeUndefined();
  // A later turn on a model with a price has one again.
  const modelUsage = { mine: totals(100, 10, 0.1, { costBasis: "unknown" }), sonnet: totals(10, 1, 0.02) };
  expect(meter.read({ usage, modelUsage }).costUsd).toBe(0.02);
});

test("the usage meter counts on from the sums of a resumed session, and takes the turn's own count where they are not known", () => {
  const meter = createUsageMeter();
  meter.restart({ sonnet: totals(100, 10, 0.1) });
  expect(meter.read({ usage, modelUsage: { sonnet: totals(120, 15, 0.15) } }).outputTokens).toBe(5);

  meter.restart(undefined);
  expect(meter.read({ usage, modelUsage: { sonnet: totals(1000, 100, 1) } })).toEqual({
    inputTokens: 7,
    outputTokens: 3,
    cacheReadTokens: 2,
    cacheWriteTokens: 1,
  });
  expect(meter.read({ usage, modelUsage: { sonnet: totals(1010, 101, 1.5) } }).costUsd).toBe(0.5);
});

test("the usage meter survives results without sums, and sums that were started anew", () => {
  const meter = createUsageMeter();
  meter.read({ usage, modelUsage: { sonnet: totals(100, 10, 0.1) } });

  expect(meter.read({ usage, modelUsage: {} }).outputTokens).toBe(0);
  expect(meter.read({ usage, modelUsage: { sonnet: totals(110, 12, 0.2) } }).outputTokens).toBe(2);
  expect(meter.read({ usage, modelUsage: { sonnet: totals(30, 4, 0.05) } })).toMatchObject({
    inputTokens: 30,
    outputTokens: 4,
  });
});

test("remainder is what a sum holds beyond what was reported, with the whole price", () => {
  const sum = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 3, costUsd: 0.5 };
  const reported = { inputTokens: 4, outputTokens: 9, cacheReadTokens: 0, cacheWriteTokens: 0 };

  expect(remainder(sum, reported)).toEqual({
    inputTokens: 6,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 3,
    costUsd: 0.5,
  });
});
