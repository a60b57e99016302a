import { expect, test } from "bun:test";
import { AtomicError } from "../lib/errors.ts";
import { capabilitiesWithout } from "./capabilities.ts";
import type { AgentClient } from "./port.ts";
import { preferredModel } from "./preferred-model.ts";

function client(kind: string, models: Record<string, string> | Error | "none"): AgentClient {
  return {
    kind,
    label: kind,
    capabilities: capabilitiesWithout(models === "none" ? { models: "it has no list" } : {}),
    open: () => Promise.reject(new Error("not here")),
    models: async () => {
      if (models instanceof Error) throw models;
      return models === "none" ? [] : Object.entries(models).map(([id, name]) => ({ id, name }));
    },
    check: () => Promise.reject(new Error("not here")),
    close: async () => undefined,
  };
}

const copilot = client("copilot", { "claude-sonnet-4.5": "Claude Sonnet 4.5", "gpt-5": "GPT-5" });

test("the first model that the backend has counts, by id or by the name people see", async () => {
  expect(await preferredModel(["GPT-9 (copilot)", "Claude Sonnet 4.5 (copilot)"], copilot)).toBe("claude-sonnet-4.5");
  expect(await preferredModel(["gpt-5", "claude-sonnet-4.5"], copilot)).toBe("gpt-5");
  expect(await preferredModel(["GPT-5"], copilot)).toBe("gpt-5");
  expect(await preferredModel(["GPT-9", "gemini"], copilot)).toBeUndefined();
});

test("families are known where the backend is Claude's own, and skipped elsewhere", async () => {
  expect(await preferredModel(["sonnet", "opus"], client("claude", new Error("not asked")))).toBe("sonnet");
  expect(await preferredModel(["sonnet", "gpt-5"], copilot)).toBe("gpt-5");
  expect(await preferredModel(["sonnet"], copilot)).toBeUndefined();
});

test("a backend without a list of models is asked for the first", async () => {
  expect(await preferredModel(["GPT-5 (copilot)", "x"], client("acp:x", "none"))).toBe("gpt-5");
  const noLogin = new AtomicError("AGENT_TURN_FAILED", "no login");
  expect(await preferredModel(["GPT-5 (copilot)", "x"], client("copilot", noLogin))).toBe("gpt-5");
  await expect(preferredModel(["x"], client("copilot", new TypeError("a bug")))).rejects.toThrow("a bug");
});
