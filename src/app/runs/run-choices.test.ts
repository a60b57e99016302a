import { expect, test } from "bun:test";
import { agentFrom, answersFrom, limitChoicesOf, limitsFrom } from "./run-choices.ts";

const usual = {
  maxIterations: 100,
  maxCostUsd: undefined,
  maxTokens: undefined,
  maxMinutes: undefined,
  maxWaitMinutes: 1440,
};

test("limitsFrom puts what was typed over what counts otherwise, and refuses what can't be a limit", () => {
  expect(limitsFrom({ maxIterations: 0, maxCostUsd: 1.5 }, { ...usual, maxTokens: 7 })).toEqual({
    ...usual,
    maxIterations: 0,
    maxCostUsd: 1.5,
    maxTokens: 7,
  });
  const all = ["max-iterations", "max-cost", "max-tokens", "max-minutes", "max-wait"];
  const none = Object.fromEntries(all.map((name) => [name, "none"]));
  expect(limitsFrom(limitChoicesOf(none), { ...usual, maxCostUsd: 1, maxTokens: 2, maxMinutes: 3 })).toEqual({
    ...usual,
    maxIterations: 0,
    maxWaitMinutes: undefined,
  });
  for (const [name, value] of [
    ["max-cost", -1],
    ["max-tokens", 0.5],
    ["max-iterations", 1.5],
    ["max-minutes", -0.1],
  ] as const)
    expect(() => limitsFrom(limitChoicesOf({ [name]: value }), usual)).toThrow(
      expect.objectContaining({ code: "USAGE" }),
    );
});

test("agentFrom keeps the agent and its script, unless another is asked for", () => {
  const before = { kind: "scripted", others: [], script: "/s.json" };

  expect(agentFrom({}, before)).toEqual({ ...before, record: undefined });
  expect(agentFrom({ script: "/t.json" }, before)).toMatchObject({ kind: "scripted", script: "/t.json" });
  expect(agentFrom({ agent: "claude" }, before)).toMatchObject({ kind: "claude", others: [], script: undefined });
  expect(agentFrom({ script: "/t.json" }, { kind: "claude" })).toMatchObject({ kind: "scripted" });
  expect(agentFrom({ agent: "acp:gemini --acp" }, before)).toMatchObject({
    kind: "acp:gemini --acp",
    script: undefined,
  });
  expect(() => agentFrom({ agent: "replay" }, before)).toThrow(expect.objectContaining({ code: "USAGE" }));
  expect(() => agentFrom({ agent: "nobody" }, before)).toThrow(expect.objectContaining({ code: "AGENT_UNKNOWN" }));
});

test("answersFrom keeps every way to read QUESTION=VALUE", () => {
  expect(answersFrom({ answer: ["Is a=b?=yes=no", "x=1"] })).toEqual({
    "Is a": "b?=yes=no",
    "Is a=b?": "yes=no",
    "Is a=b?=yes": "no",
    x: "1",
  });
  for (const written of ["", "=", "=x", "no"])
    expect(() => answersFrom({ answer: [written] })).toThrow(expect.objectContaining({ code: "USAGE" }));
});
