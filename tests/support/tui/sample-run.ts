// A run for tests of the screens, as plain values: ralph with three workers, one that asks, one with a sub-agent, one
// that has failed, checks, and a rate limit.

import type { RunEvent } from "../../../src/events/run-event.ts";
import { readEvent } from "../../../src/events/run-event.ts";
import type { StoredEvent } from "../../../src/journal/port.ts";
import type { Json } from "../../../src/lib/json.ts";
import type { TranscriptEntry, TranscriptFacts } from "../../../src/transcript/transcript-entry.ts";

export const sampleStart = Date.UTC(2026, 0, 5, 13, 51, 0);
const second = 1000;

export interface SampleRun {
  readonly id: string;
  readonly events: readonly RunEvent[];
  readonly transcript: readonly TranscriptEntry[];
  /** A moment after the last event. */
  readonly now: number;
}

type Fields = Readonly<Record<string, Json>>;

export function sampleRun(options: { readonly extra?: readonly (readonly [string, Fields])[] } = {}): SampleRun {
  const events: RunEvent[] = [];
  const transcript: TranscriptEntry[] = [];
  let at = sampleStart;

  function add(type: string, fields: Fields = {}): void {
    at += 2 * second;
    const stored: StoredEvent = { ...fields, seq: events.length + 1, at, type };
    events.push(readEvent(stored));
  }
  function say(facts: TranscriptFacts): void {
    at += 100;
    transcript.push({ v: 1, at, ...facts });
  }
  function visit(node: string): Fields {
    return { key: `${node}#1`, node, visit: 1, attempt: 1 };
  }
  function turn(id: string, task: string | null, worker: number): Fields {
    const node = task === null ? "plan" : "work";
    return { agent: "worker", turn: id, task, worker, node, key: `${node}#1` };
  }
  const task = (id: string, title: string, status: string, more: Fields = {}): Fields => ({
    task: { id, title, status, ...more },
    node: "work",
    key: "work#1",
  });
  const usage = (costUsd: number): Fields => ({ usage: { inputTokens: 1000, outputTokens: 100, costUsd } });

  add("run.started", {
    workflow: "ralph",
    resumed: false,
    agent: "claude",
    prompt: "add a retry to the fetcher",
    cwd: "/projects/parser",
    maxIterations: 100,
    limits: { maxCostUsd: 5 },
    descriptions: { plan: "Planning the tasks", work: "Working on the tasks" },
    state: { tasks: [], outputs: {} },
    shape: {
      start: "prepare",
      edges: [],
      nodes: ["tool prepare", "agent plan", "agent work", "control if#1", "agent review", "tool report"],
    },
  });
  add("node.started", visit("prepare"));
  add("node.finished", { ...visit("prepare"), update: { folder: "/projects/parser" } });
  add("node.started", visit("plan"));
  add("agent.turn-started", turn("t0", null, 0));
  add("agent.turn-finished", { ...turn("t0", null, 0), outcome: "completed", ...usage(0.12) });
  for (const [id, title, more] of [
    ["1", "read the code", {}],
    ["2", "fetch", { verify: "npm test -- fetch" }],
    ["3", "retry", {}],
    ["4", "cache 日本語の名前", {}],
    ["5", "schema", {}],
    ["6", "old API", {}],
    ["7", "docs", { blockedBy: ["3", "4"] }],
  ] as const)
    add("task.updated", task(id, title, "pending", more));
  add("node.finished", { ...visit("plan"), update: { planned: 7 } });
  add("node.started", visit("work"));
  for (const id of ["1", "2"]) {
    add("task.updated", task(id, id === "1" ? "read the code" : "fetch", "in_progress"));
    add("agent.turn-started", turn(`t${id}`, id, 1));
    add("agent.turn-finished", { ...turn(`t${id}`, id, 1), outcome: "completed", durationMs: 2000, ...usage(0.2) });
    if (id === "2")
      add("verify.finished", {
        command: "npm test -- fetch",
        exitCode: 0,
        task: "2",
        tree: "41aa5d2d6c1b4f6f8a1e9b0c7d3e2f1a4b5c6d7e",
        node: "work",
        key: "work#1",
      });
    add("task.updated", task(id, id === "1" ? "read the code" : "fetch", "completed"));
  }
  for (const [i, id] of ["3", "4", "5", "6"].entries()) {
    add("task.updated", task(id, ["retry", "cache 日本語の名前", "schema", "old API"][i] ?? "", "in_progress"));
    add("agent.turn-started", turn(`t${id}`, id, i + 1));
    say({
      type: "turn.started",
      turn: `t${id}`,
      agent: "worker",
      backend: "claude",
      node: "work",
      key: "work#1",
      task: id,
      worker: i + 1,
      prompt: `Do task ${id}.\nCompletely.`,
    });
  }
  say({ type: "said", turn: "t3", text: "I'll look at how it fails first." });
  say({
    type: "tool.started",
    turn: "t3",
    call: "a",
    name: "Edit",
    kind: "write",
    input: { file_path: "src/f.ts", old_string: "a\nb", new_string: "a\nc\nd" },
  });
  say({
    type: "tool.finished",
    turn: "t3",
    call: "a",
    name: "Edit",
    outcome: "ok",
    output: "ok",
    outputChars: 2,
    durationMs: 90,
    change: { path: "src/f.ts", added: 88, removed: 12 },
  });
  say({ type: "tool.started", turn: "t3", call: "b", name: "Bash", kind: "execute", input: { command: "npm test" } });
  say({ type: "subagent.started", turn: "t3", agentId: "s1", name: "debugger", task: "find the timeout" });
  say({
    type: "tool.started",
    turn: "t3",
    agentId: "s1",
    call: "c",
    name: "Grep",
    kind: "read",
    input: { pattern: "timeout" },
  });
  say({ type: "tool.started", turn: "t4", call: "d", name: "Edit", kind: "write", input: { file_path: "src/c.ts" } });
  add("agent.usage-reported", { ...turn("t3", "3", 1), ...usage(0.41) });
  add("question.asked", {
    key: "work#1",
    node: "work",
    question: {
      id: "work#1?task 5 try 1:q",
      text: "Which colour should the button have?",
      options: ["red", "blue"],
      freeText: true,
    },
  });
  add("agent.turn-finished", {
    ...turn("t6", "6", 4),
    outcome: "failed",
    ...usage(0.08),
    failure: { message: "boom" },
  });
  add("task.updated", task("6", "old API", "failed", { error: "the API is gone" }));
  for (const [type, fields] of options.extra ?? []) add(type, fields);
  return { id: "a1b2c3d4-0000", events, transcript, now: at + 30 * second };
}
