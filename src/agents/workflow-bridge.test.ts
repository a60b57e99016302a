import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "../lib/json.ts";
import type { AgentCallContext } from "../workflows/graph/model/bridge.ts";
import type { AgentClient, AgentDefinition, OpenOptions } from "./port.ts";
import { createProcessRegistry } from "./process/process-registry.ts";

import { createProcessMemory, type ScriptMemory } from "./scripted/script-memory.ts";
import { parseScript } from "./scripted/script-schema.ts";
import { createScriptedClient } from "./scripted/scripted-client.ts";
import { createWorkflowBridge, type WorkflowBridgeOptions } from "./workflow-bridge.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-workflow-bridge-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

interface SetUpOptions extends Partial<WorkflowBridgeOptions> {
  readonly memory?: ScriptMemory;
  readonly change?: (client: AgentClient) => AgentClient;
}

function setUp(turns: readonly unknown[], { memory, change = (client) => client, ...options }: SetUpOptions = {}) {
  const script = parseScript({ version: 1, turns }, "test");
  let ids = 0;
  const client = createScriptedClient({
    script,
    source: "test",
    env: {},
    registry: createProcessRegistry(join(root, "pids")),
    memory,
    newId: () => `id${++ids}`,
  });
  return createWorkflowBridge({
    client: change(client),
    cwd: root,
    agent: (name) => ({ name, prompt: `You are ${name}.` }),
    ...options,
  });
}

function visit(previousNotes: readonly Json[] = [], answer: Json = null) {
  const seen = {
    emitted: [] as [string, Json | undefined][],
    progress: [] as string[],
    notes: [] as Json[],
    asked: [] as unknown[],
  };
  const stop = new AbortController();
  const context: AgentCallContext = {
    node: "plan",
    key: "plan#1",
    signal: stop.signal,
    attempt: { number: 1, previousNotes, note: async (note) => void seen.notes.push(note) },
    record: ({ type, ...data }) => void seen.emitted.push([type, data]),
    progress: (type) => void seen.progress.push(type),
    sleepUntil: async () => undefined,
    flush: async () => undefined,
    ask: async (question) => {
      seen.asked.push(question);
      return answer;
    },
  };
  return { context, stop, ...seen };
}

test("spawn returns the answer, notes the session before the turn, and reports start and end", async () => {
  const bridge = setUp([
    {
      agent: "planner",
      task: "7",
      steps: [{ say: "a plan" }, { usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.1 } }],
    },
  ]);
  const { context, emitted, notes, progress } = visit();

  const result = await bridge.spawn({ agent: "planner", task: "plan it", taskId: "7", context });

  expect(result).toMatchObject({
    success: true,
    output: "a plan",
    modelUsed: "scripted",
    usage: { inputTokens: 3, costUsd: 0.1 },
  });
  expect(notes).toEqual([{ type: "agent-session", agent: "scripted", session: null, id: result.sessionId as string }]);
  expect(emitted.map(([type]) => type)).toEqual(["agent.turn-started", "agent.turn-finished"]);
  expect(emitted[1]?.[1]).toMatchObject({ agent: "planner", task: "7", outcome: "completed", modelServed: "scripted" });
  expect(progress).toContain("text.delta");
  expect(progress).not.toContain("turn.completed");
});

test("spawn returns a failure with its kind, and throws what the author got wrong", async () => {
  const bridge = setUp([{ steps: [{ fail: { kind: "rate_limited", resetInMs: 1000 } }] }], {
    agent: () => {
      throw new Error('Agent not found: "plannr"');
    },
  });

  expect(await bridge.spawn({ task: "x" })).toMatchObject({
    success: false,
    failure: { kind: "rate_limited", retryable: true, resetAt: expect.any(Number) },
  });
  await expect(bridge.spawn({ agent: "plannr", task: "x" })).rejects.toThrow("Agent not found");
});

test("turns in a named session share it until it is cleared", async () => {
  const bridge = setUp([{ steps: [{ say: "x" }, { usage: { inputTokens: 10, outputTokens: 5 } }] }]);

  const first = await bridge.spawn({ task: "one", session: "main" });
  const second = await bridge.spawn({ task: "two", session: "main" });
  expect(second.sessionId).toBe(first.sessionId as string);
  expect(await bridge.contextUsage("main")).toEqual({ usedTokens: 15, maxTokens: 200_000 });
  await bridge.compactSession("main");
  expect(await bridge.contextUsage("main")).toMatchObject({ usedTokens: 0 });

  await bridge.clearSession("main");
  expect(await bridge.contextUsage("main")).toBeUndefined();
  expect((await bridge.spawn({ task: "three", session: "main" })).sessionId).not.toBe(first.sessionId as string);
  await bridge.close();
});

test("a turn of another agent in a shared session continues it with that agent's tools and model", async () => {
  const agents: Record<string, Partial<AgentDefinition>> = {
    planner: { tools: ["read"], model: "small" },
    worker: { tools: ["write"], model: "large" },
  };
  const write = { write: { path: "shared.txt", content: "x" } };
  const bridge = setUp(
    [
      { match: "plan", steps: [write, { say: "planned" }] },
      { match: "work", remembers: "planned", steps: [write, { say: "worked" }] },
      { match: "sum up", remembers: "worked", steps: [{ say: "summed up" }] },
    ],
    { agent: (name) => ({ name, prompt: `You are ${name}.`, ...agents[name] }), model: "of-the-run" },
  );
  const wrote = (): boolean => existsSync(join(root, "shared.txt"));

  const plan = await bridge.spawn({ agent: "planner", task: "plan", session: "main" });
  expect(plan).toMatchObject({ output: "planned", modelUsed: "small" });
  expect(wrote()).toBe(false);
  const work = await bridge.spawn({ agent: "worker", task: "work", session: "main" });
  expect(work).toMatchObject({ output: "worked", modelUsed: "large", sessionId: plan.sessionId as string });
  expect(wrote()).toBe(true);
  expect(await bridge.spawn({ task: "sum up", session: "main" })).toMatchObject({
    output: "summed up",
    modelUsed: "of-the-run",
    sessionId: plan.sessionId as string,
  });
  await bridge.close();
});

test("turns of different agents in one session wait for each other", async () => {
  const bridge = setUp([
    { match: "slow", steps: [{ waitMs: 20 }, { say: "first" }] },
    { match: "fast", remembers: "first", steps: [{ say: "second" }] },
  ]);

  const results = await bridge.spawnParallel([
    { agent: "a", task: "slow", session: "main" },
    { agent: "b", task: "fast", session: "main" },
  ]);
  expect(results.map(({ output }) => output)).toEqual(["first", "second"]);
  await bridge.close();
});

test("where a backend can't continue sessions, an agent with other tools gets a separate one, and the run says so", async () => {
  const bridge = setUp([{ match: "one|two", steps: [{ say: "x" }] }], {
    agent: (name) => ({ name, prompt: "", ...(name === "reader" && { tools: ["read"] }) }),
    change: (client) => ({ ...client, capabilities: { ...client.capabilities, resume: "not here" } }),
  });
  const { context, emitted } = visit();

  const first = await bridge.spawn({ agent: "anyone", task: "one", session: "main" });
  const other = await bridge.spawn({ agent: "someone", task: "two", session: "main" });
  const separate = await bridge.spawn({ agent: "reader", task: "two", session: "main", context });
  const again = await bridge.spawn({ agent: "reader", task: "two", session: "main" });

  expect(other.sessionId).toBe(first.sessionId as string);
  expect(separate.sessionId).not.toBe(first.sessionId as string);
  expect(again.sessionId).toBe(separate.sessionId as string);
  expect(emitted[0]).toEqual(["agent.session-lost", { agent: "reader", session: "main" }]);
  await bridge.close();
});

test("a later attempt continues the session of the earlier one, and says so", async () => {
  const memory = createProcessMemory();
  memory.add("left-behind", "do it");
  const bridge = setUp([{ match: "^You were interrupted[\\s\\S]*do it$", steps: [{ say: "went on" }] }], { memory });
  const { context } = visit([
    { type: "agent-session", agent: "claude", session: null, id: "other" },
    { type: "agent-session", agent: "scripted", session: null, id: "left-behind" },
  ]);

  expect(await bridge.spawn({ task: "do it", context })).toMatchObject({ sessionId: "left-behind", output: "went on" });
});

test("a session that the backend has lost is replaced by a new one, and the run says so", async () => {
  const bridge = setUp([{ match: "^do it$", steps: [{ say: "from the start" }] }], { sessions: { main: "gone" } });
  const { context, emitted } = visit();

  expect(await bridge.spawn({ task: "do it", session: "main", context })).toMatchObject({ output: "from the start" });
  expect(emitted[0]).toEqual(["agent.session-lost", { agent: "scripted", session: "main" }]);
  await bridge.close();
});

test("a named session is continued from an earlier process, also for a look at its context", async () => {
  const memory = createProcessMemory();
  memory.add("from-before", "hello");
  const bridge = setUp([{ remembers: "hello", steps: [{ say: "x" }] }, { steps: [{ say: "new" }] }], {
    sessions: { main: "from-before" },
    memory,
  });

  expect(await bridge.contextUsage("main")).toMatchObject({ usedTokens: 0 });
  expect(await bridge.spawn({ task: "do it", session: "main" })).toMatchObject({
    sessionId: "from-before",
    output: "x",
  });
  await bridge.clearSession("main");
  expect(await bridge.spawn({ task: "do it", session: "main" })).toMatchObject({ output: "new" });
  await bridge.close();
});

test("an agent's question is asked through the node; nothing as an answer declines it", async () => {
  const turns = [{ steps: [{ ask: { question: "Which?", options: ["a", "b"] }, as: "it" }, { say: "[${it}]" }] }];
  const answered = visit([], "b");
  const unanswered = visit([], null);

  expect(await setUp(turns).spawn({ task: "x", context: answered.context })).toMatchObject({ output: "[b]" });
  expect(answered.asked).toEqual([
    {
      text: "Which?",
      options: [{ label: "a" }, { label: "b" }],
      freeText: true,
      multiSelect: false,
      default: null,
    },
  ]);
  expect(await setUp(turns).spawn({ task: "x", context: unanswered.context })).toMatchObject({ output: "[]" });
  expect(await setUp(turns).spawn({ task: "x" })).toMatchObject({ output: "[]" });
});

test("the node's signal interrupts the turn", async () => {
  const bridge = setUp([{ steps: [{ say: "x" }, { hang: true }] }]);
  const { context, stop } = visit();
  const result = bridge.spawn({
    task: "x",
    context: { ...context, progress: (type) => void (type === "text.delta" && stop.abort()) },
  });

  expect(await result).toMatchObject({ success: false, error: "The turn was interrupted." });
});

test("spawnParallel keeps the order of its list and the limit", async () => {
  const bridge = setUp([{ match: "slow", steps: [{ waitMs: 20 }, { say: "slow" }] }, { steps: [{ say: "fast" }] }], {
    concurrency: 2,
  });

  expect(
    (await bridge.spawnParallel([{ task: "slow" }, { task: "a" }, { task: "b" }])).map(({ output }) => output),
  ).toEqual(["slow", "fast", "fast"]);
});

test("a turn that was completed before a crash is not taken again, unless its try failed", async () => {
  const turns = [{ steps: [{ say: "once" }, { usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.1 } }] }];
  const before = visit();
  const first = await setUp(turns).spawn({ task: "x", context: before.context, isOnlyTurn: true });
  const after = visit(before.notes);
  const again = await setUp([]).spawn({ task: "x", context: after.context, isOnlyTurn: true });

  expect(before.notes).toHaveLength(2);
  expect(again).toMatchObject({
    success: true,
    output: "once",
    sessionId: first.sessionId as string,
    modelUsed: "scripted",
    usage: { inputTokens: 3, outputTokens: 2, costUsd: 0.1 },
  });
  expect(after.emitted).toEqual([]);
  const { context } = visit(before.notes);
  const failed = { ...context, attempt: { ...context.attempt, failures: 1 } };
  expect(await setUp(turns).spawn({ task: "x", context: failed, isOnlyTurn: true })).toMatchObject({ output: "once" });
  expect((await setUp([]).spawn({ task: "x", context: failed, isOnlyTurn: true })).success).toBe(false);
});

test("a turn that failed leaves no result to take over", async () => {
  const before = visit();
  const failing = [{ steps: [{ fail: { kind: "crashed" } }] }];
  await setUp(failing).spawn({ task: "x", context: before.context, isOnlyTurn: true });

  expect(before.notes).toHaveLength(1);
});

test("every session is offered the run's agents; a backend that takes none names those that the user wrote", async () => {
  const opened: OpenOptions[] = [];
  const spied = (capabilities: Partial<AgentClient["capabilities"]>) => (client: AgentClient) => ({
    ...client,
    kind: "copilot",
    capabilities: { ...client.capabilities, ...capabilities },
    open: (options: OpenOptions) => client.open((opened.push(options), options)),
  });
  const subagents = [
    { name: "locator", prompt: "Find files.", model: "haiku", isBuiltin: true },
    { name: "carpenter", description: "writes files", prompt: "Write.", models: ["a", "b"] },
  ];
  const offering = setUp([{ steps: [{ say: "done" }] }], { subagents, change: spied({}) });
  const { context } = visit();
  await offering.spawn({ task: "work", context });
  await offering.spawn({ task: "work", session: "main", context });
  // `haiku` is Claude's word, and a choice of models needs the backend's list.
  const offered = [
    { name: "locator", prompt: "Find files.", model: undefined },
    { name: "carpenter", description: "writes files", prompt: "Write.", model: undefined },
  ];
  expect(opened.map((options) => options.subagents)).toEqual([offered, offered]);

  opened.length = 0;
  const change = spied({ subagentDefinitions: "the protocol takes none" });
  const refusing = setUp([{ steps: [{ say: "done" }] }], { subagents, change });
  const second = visit();
  await refusing.spawn({ task: "work", context: second.context });
  await refusing.spawn({ task: "work", context: second.context });
  expect(opened.map((options) => options.subagents)).toEqual([[], []]);
  expect(second.emitted.filter(([type]) => type === "agent.subagents-ignored")).toEqual([
    ["agent.subagents-ignored", { backend: "copilot", agents: ["carpenter"], reason: "the protocol takes none" }],
  ]);
});
