import { expect, test } from "bun:test";
import type { AgentEvent } from "../../agents/events.ts";
import { type LiveView, nextLive, nothingLive } from "./live-view.ts";

const place = { node: "work", key: "work#1", task: "3", worker: 2, agent: "worker", backend: "x", prompt: "" };
const ids = { sessionId: "s", turnId: "t" };
const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function live(...events: readonly AgentEvent[]): LiveView {
  return events.reduce((view, event) => nextLive(view, { place, event }), nothingLive);
}

const started: AgentEvent = { type: "turn.started", ...ids, agent: "worker", modelAsked: undefined };
const tool = (toolCallId: string, agentId?: string): AgentEvent => ({
  type: "tool.started",
  ...ids,
  agentId,
  toolCallId,
  name: "Bash",
  kind: "shell",
  input: { command: `run ${toolCallId}` },
});

test("the live view has the turns by worker, the current tool of each, and the tree of sub-agents", () => {
  const sub = (agentId: string, parentId: string | undefined): AgentEvent => ({
    type: "subagent.started",
    ...ids,
    agentId,
    parentId,
    name: `debugger ${agentId}`,
    task: "",
    isBackground: false,
  });
  const done: AgentEvent = {
    type: "tool.finished",
    ...ids,
    toolCallId: "a",
    name: "Bash",
    outcome: "ok",
    output: "",
    outputChars: 0,
  };
  const view = live(started, tool("a"), sub("1", undefined), sub("2", "1"), tool("b", "2"), done);
  const turn = view.get("t");

  expect(turn).toMatchObject({ worker: 2, task: "3", node: "work" });
  expect([...(turn?.agents.values() ?? [])]).toEqual([
    { id: undefined, parent: undefined, name: "worker", tools: [] },
    { id: "1", parent: undefined, name: "debugger 1", tools: [] },
    { id: "2", parent: "1", name: "debugger 2", tools: [{ call: "b", name: "Bash", title: "run b" }] },
  ]);
});

test("pieces of text change nothing, and a turn that ends is gone", () => {
  const view = live(started);
  const delta: AgentEvent = { type: "text.delta", ...ids, messageId: "m", text: "x" };
  const end = { ...ids, text: "", modelAsked: undefined, modelServed: undefined, usage, durationMs: 1 };

  expect(nextLive(view, { place, event: delta })).toBe(view);
  expect(nextLive(view, { place, event: { type: "turn.completed", ...end } }).size).toBe(0);
});
