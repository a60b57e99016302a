import { expect, test } from "bun:test";
import { systemClock } from "../../lib/clock.ts";
import type { AgentEvent } from "../../agents/events.ts";
import { AgentRecorder } from "../../transcript/record-agents.ts";
import { agentTree, type LiveView, nextLive, nothingLive } from "./live-view.ts";

const place = { node: "work", key: "work#1", task: "3", worker: 2, agent: "worker", backend: "x", prompt: "" };
const ids = { sessionId: "s", turnId: "t" };
const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** As the transcript has them, one millisecond apart. */
function live(...events: readonly AgentEvent[]): LiveView {
  let view = nothingLive;
  let now = 0;
  const clock = { ...systemClock, now: () => now };
  const recorder = new AgentRecorder((facts) => (view = nextLive(view, { v: 1, at: now, ...facts })), clock);
  for (const event of events) {
    now++;
    recorder.take({ place, event });
  }
  return view;
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

const sub = (agentId: string, parentId?: string): AgentEvent => ({
  type: "subagent.started",
  ...ids,
  agentId,
  parentId,
  name: `debugger ${agentId}`,
  task: "",
  isBackground: false,
});
const done = (toolCallId: string, agentId?: string): AgentEvent => ({
  type: "tool.finished",
  ...ids,
  agentId,
  toolCallId,
  name: "Bash",
  outcome: "ok",
  output: "",
  outputChars: 0,
});
const edit = (toolCallId: string): AgentEvent => ({
  type: "tool.started",
  ...ids,
  toolCallId,
  name: "Edit",
  kind: "write",
  input: { file_path: "a.ts", old_string: "one\n", new_string: "two\nthree\n" },
});

test("the live view has the turns by worker, the current tool of each, and the tree of sub-agents", () => {
  const view = live(started, tool("a"), sub("1"), sub("2", "1"), tool("b", "2"), done("a"));
  const turn = view.get("t");

  expect(turn).toMatchObject({ worker: 2, task: "3", node: "work", startedAt: 1, activeAt: 6 });
  expect([...(turn?.agents.values() ?? [])]).toEqual([
    { id: undefined, parent: undefined, name: "worker", startedAt: 1, tools: [], toolsEnded: 1 },
    { id: "1", parent: undefined, name: "debugger 1", startedAt: 3, tools: [], toolsEnded: 0 },
    {
      id: "2",
      parent: "1",
      name: "debugger 2",
      startedAt: 4,
      tools: [{ call: "b", name: "Bash", title: "run b", startedAt: 5 }],
      toolsEnded: 0,
    },
  ]);
});

test("the tree of agents shows each below the one that started it, and those without one below the turn's", () => {
  const turn = live(started, sub("1"), sub("3"), sub("2", "1"), sub("4", "gone")).get("t");

  expect(turn && agentTree(turn).map(({ agent, depth }) => `${depth} ${agent.id ?? agent.name}`)).toEqual([
    "0 worker",
    "1 1",
    "2 2",
    "1 3",
    "1 4",
  ]);
});

test("lines that tools changed add up over a turn", () => {
  expect(live(started, edit("a"), done("a"), edit("b"), done("b"), edit("c")).get("t")).toMatchObject({
    added: 4,
    removed: 2,
  });
});

test("pieces of text change nothing, and a turn that ends is gone", () => {
  const delta: AgentEvent = { type: "text.delta", ...ids, messageId: "m", text: "x" };
  const end = { ...ids, text: "", modelAsked: undefined, modelServed: undefined, usage, durationMs: 1 };

  expect(live(started, delta)).toEqual(live(started));
  expect(live(started, { type: "turn.completed", ...end }).size).toBe(0);
});

test("a call that changes several files adds the lines of all of them; entries of earlier versions name one", () => {
  const patchText = "*** Begin Patch\n*** Add File: a\n+1\n+2\n*** Update File: b\n@@\n-x\n+y\n*** End Patch";
  const patch: AgentEvent = {
    type: "tool.started",
    ...ids,
    toolCallId: "p",
    name: "apply_patch",
    kind: "write",
    input: { patchText },
  };
  const view = live(started, patch, done("p"));
  expect(view.get("t")).toMatchObject({ added: 3, removed: 1 });

  const result = { turn: "t", call: "q", name: "Edit", outcome: "ok", output: "", outputChars: 0 } as const;
  const change = { path: "a", added: 5, removed: 5 };
  const after = nextLive(view, { v: 1, at: 9, type: "tool.finished", ...result, durationMs: 0, change });
  expect(after.get("t")).toMatchObject({ added: 8, removed: 6 });
});
