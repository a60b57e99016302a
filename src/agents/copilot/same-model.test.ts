import { expect, test } from "bun:test";
import { isSameCopilotModel } from "./same-model.ts";

test.each([
  ["claude-sonnet-4.5", "claude-sonnet-4-5-20250929"],
  ["gpt-5", "gpt-5-2025-08-07"],
  ["GPT-5", "gpt-5"],
  ["my-provider/llama-3.1", "llama-3.1"],
  ["auto", "gpt-5-mini"],
])("isSameCopilotModel takes %s for %s", (asked, served) => {
  expect(isSameCopilotModel(asked, served)).toBe(true);
});

test.each([
  ["gpt-5", "gpt-5-mini"],
  ["claude-sonnet-4.5", "claude-sonnet-4"],
  ["claude-opus-5", "claude-sonnet-5"],
])("isSameCopilotModel does not take %s for %s", (asked, served) => {
  expect(isSameCopilotModel(asked, served)).toBe(false);
});
