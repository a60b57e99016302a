import { describe, expect, test } from "bun:test";
import type { BaseState, NodeDefinition, SubagentSpawnOptions, WorkflowBridge } from "atomic/workflows/graph";
import {
  agentNode,
  clearContextNode,
  commandNode,
  contextMonitorNode,
  createNode,
  criteriaLoopNode,
  executeGraph,
  graph,
  MemorySaver,
  parallelSubagentNode,
  skillNode,
  taskLoopNode,
} from "atomic/workflows/graph";
import { createFakeBridge } from "../../tests/support/fake-bridge.ts";
import { createBarrier, createMeter } from "../../tests/support/graph-kit.ts";

interface State extends BaseState {
  prompt: string;
}

function run(node: NodeDefinition<State>, agents: WorkflowBridge, prompt = "tea") {
  return executeGraph(graph<State>().start(node).compile(), { runtime: { agents }, initialState: { prompt } });
}

describe("agent factories take one object, or an id and options", () => {
  const body = createNode<State>({ id: "body", execute: () => {} });
  const shapes: readonly [string, NodeDefinition<State>, NodeDefinition<State>][] = [
    ["agentNode", agentNode({ id: "n", prompt: "p" }), agentNode("n", { prompt: "p" })],
    ["skillNode", skillNode({ id: "n", skill: "s" }), skillNode("n", { skill: "s" })],
    ["commandNode", commandNode({ id: "n", command: "c" }), commandNode("n", { command: "c" })],
    ["clearContextNode", clearContextNode({ id: "n" }), clearContextNode("n")],
    [
      "contextMonitorNode",
      contextMonitorNode({ id: "n", threshold: 0.5, action: "clear" }),
      contextMonitorNode("n", { threshold: 0.5, action: "clear" }),
    ],
    ["parallelSubagentNode", parallelSubagentNode({ id: "n", agents: [] }), parallelSubagentNode("n", { agents: [] })],
    ["taskLoopNode", taskLoopNode({ id: "n", taskNodes: body }), taskLoopNode("n", { taskNodes: body })],
    ["criteriaLoopNode", criteriaLoopNode({ id: "n", taskNodes: body }), criteriaLoopNode("n", { taskNodes: body })],
  ];

  for (const [factory, one, two] of shapes) {
    test(factory, () => {
      expect(one.id).toBe("n");
      expect(Object.keys(one).toSorted()).toEqual(Object.keys(two).toSorted());
      expect(two).toMatchObject({ id: "n", type: one.type });
    });
  }

  test("those that need no id have one", () => {
    const ids = [
      skillNode<State>({ skill: "commit" }).id,
      commandNode<State>({ command: "review" }).id,
      criteriaLoopNode<State>({ taskNodes: body }).id,
      taskLoopNode({ taskNodes: body as never }).id,
    ];

    expect(ids).toEqual(["skill-commit", "command-review", "criteria-loop", "task-loop"]);
  });

  const wrong: readonly [string, () => unknown, string][] = [
    ["agentNode", () => agentNode({ id: "n" }), 'agentNode "n": needs a `prompt`, an `agent`, or both.'],
    ["skillNode", () => skillNode({} as never), "skillNode: needs `skill`"],
    ["skillNode with an empty id", () => skillNode({ id: " ", skill: "s" }), "skillNode: needs an id"],
    ["commandNode", () => commandNode("n", {} as never), "commandNode: needs `command`"],
    ["clearContextNode", () => clearContextNode({} as never), "clearContextNode: needs an id"],
    [
      "contextMonitorNode",
      () => contextMonitorNode({ id: "n", threshold: 80, action: "clear" }),
      "threshold is a share",
    ],
    [
      "contextMonitorNode with another action",
      () => contextMonitorNode({ id: "n", threshold: 0.5, action: "pray" as never }),
      "action is one of compact, clear, none",
    ],
    [
      "parallelSubagentNode",
      () => parallelSubagentNode({ id: "n", agents: [], concurrency: 0 }),
      "concurrency must be",
    ],
    ["criteriaLoopNode", () => criteriaLoopNode({ taskNodes: [] }), "taskNodes is empty"],
    ["taskLoopNode", () => taskLoopNode({ taskNodes: [] }), "taskNodes is empty"],
    ["taskLoopNode with nothing", () => taskLoopNode(undefined as never), "taskLoopNode: needs an object of options"],
  ];
  for (const [what, call, text] of wrong) test(`${what} refuses wrong options`, () => expect(call).toThrow(text));
});

describe("agentNode", () => {
  test("takes its id from the agent's name where none is given", () => {
    expect(agentNode({ agent: "debugger" }).id).toBe("agent-debugger");
    expect(() => agentNode({ prompt: "p" } as never)).toThrow("agentNode: needs an id");
  });

  test("takes a turn in the run's main session, and its answer lands in outputs", async () => {
    const agents = createFakeBridge();
    const { state } = await run(agentNode({ id: "a", prompt: ({ prompt }) => `make ${prompt}` }), agents);

    expect(agents.calls).toEqual(["main: make tea"]);
    expect(state.outputs).toEqual({ a: "did: make tea" });
  });

  test("hands agent, session, model and the visit over", async () => {
    const asked: SubagentSpawnOptions[] = [];
    const agents = createFakeBridge((options) => {
      asked.push(options);
      return "ok";
    });
    await run(agentNode({ id: "a", agent: "planner", session: "planning", model: "opus" }), agents);

    expect(asked).toMatchObject([
      { agent: "planner", session: "planning", model: "opus", task: "tea", context: { node: "a", key: "a#1" } },
    ]);
  });

  test("maps its result, and fails when the turn fails", async () => {
    const failing: WorkflowBridge = {
      ...createFakeBridge(),
      spawn: async () => ({ success: false, output: "", error: "no model" }),
    };
    const mapped = await run(
      agentNode({ id: "a", prompt: "p", outputMapper: ({ output }) => ({ prompt: output }) }),
      createFakeBridge(),
    );
    const { error } = await run(agentNode({ id: "a", prompt: "p" }), failing);

    expect(mapped.state.prompt).toBe("did: p");
    expect(error).toMatchObject({ code: "AGENT_TURN_FAILED" });
    expect(error?.message).toContain("no model");
  });
});

describe("nodes that look after a session", () => {
  test("clearContextNode starts it afresh", async () => {
    const agents = createFakeBridge();
    await run(clearContextNode("a"), agents);
    await run(clearContextNode({ id: "a", session: "planning" }), agents);

    expect(agents.calls).toEqual(["clear main", "clear planning"]);
  });

  test("contextMonitorNode performs its action once the context is full enough, and reports the usage", async () => {
    const agents = createFakeBridge();
    const monitor = (threshold: number, action: "compact" | "clear" | "none") =>
      run(contextMonitorNode({ id: "a", threshold, action }), agents).then(({ state }) => state.outputs["a"]);
    const usage = { usedTokens: 90, maxTokens: 100, share: 0.9 };

    expect(await monitor(0.95, "clear")).toEqual({ ...usage, action: "none" });
    expect(agents.calls).toEqual([]);
    expect(await monitor(0.9, "compact")).toEqual({ ...usage, action: "compact" });
    expect(await monitor(0.5, "clear")).toEqual({ ...usage, action: "clear" });
    expect(await monitor(0.5, "none")).toEqual({ ...usage, action: "none" });
    expect(agents.calls).toEqual(["compact main", "clear main"]);
  });

  test("contextMonitorNode returns null if the backend does not report usage", async () => {
    const agents = { ...createFakeBridge(), contextUsage: async () => undefined };
    const { state } = await run(contextMonitorNode({ id: "a", threshold: 0.5, action: "clear" }), agents);

    expect(state.outputs).toEqual({ a: null });
  });
});

describe("parallelSubagentNode", () => {
  const three = ["a", "b", "c"].map((agent) => ({
    agent,
    task: ({ prompt }: Readonly<State>) => `${agent} ${prompt}`,
  }));

  test("spawns all at the same time and keeps their answers in order", async () => {
    const barrier = createBarrier(3);
    const fake = createFakeBridge();
    const agents: WorkflowBridge = {
      ...fake,
      spawn: async (options) => {
        await barrier.meet();
        return fake.spawn(options);
      },
    };
    const { state } = await run(parallelSubagentNode({ id: "n", agents: three }), agents);

    expect(state.outputs).toEqual({ n: ["did: a tea", "did: b tea", "did: c tea"] });
  });

  test("runs at most its limit at a time, 4 by default", async () => {
    const widths: number[] = [];
    for (const concurrency of [2, undefined]) {
      const meter = createMeter();
      const fake = createFakeBridge();
      const agents: WorkflowBridge = { ...fake, spawn: (options) => meter.inside(() => fake.spawn(options)) };
      const many = Array.from({ length: 10 }, (_, i) => ({ agent: `a${i}`, task: "t" }));
      await run(parallelSubagentNode({ id: "n", agents: () => many, concurrency }), agents);
      widths.push(meter.most);
    }

    expect(widths).toEqual([2, 4]);
  });

  test("fails with the first failure, or hands every result to merge", async () => {
    const fake = createFakeBridge();
    const agents: WorkflowBridge = {
      ...fake,
      spawn: async (options) =>
        options.agent === "b" ? { success: false, output: "", error: "no model" } : fake.spawn(options),
    };
    const merged = await run(
      parallelSubagentNode({
        id: "n",
        agents: three,
        merge: (results) => ({ prompt: results.map(({ success, error }) => (success ? "ok" : error)).join() }),
      }),
      agents,
    );
    const failed = await run(parallelSubagentNode({ id: "n", agents: three }), agents);

    expect(merged.state.prompt).toBe("ok,no model,ok");
    expect(failed.error?.message).toContain("no model");
  });

  test("takes no finished turn again when the node is tried again or resumed", async () => {
    const store = new MemorySaver();
    const fake = createFakeBridge();
    let isDown = true;
    const agents: WorkflowBridge = {
      ...fake,
      spawn: async (options) =>
        options.agent === "c" && isDown ? { success: false, output: "", error: "down" } : fake.spawn(options),
    };
    const ask = createNode<State>({ id: "ask", execute: async ({ ask }) => void (await ask("?")) });
    const node = parallelSubagentNode<State>({
      id: "n",
      agents: three,
      concurrency: 1,
      retry: { maxAttempts: 2, backoffMs: 0, retryOn: () => !(isDown = false) },
    });
    const compiled = graph<State>().start(node).then(ask).compile();
    const options = { runtime: { agents }, initialState: { prompt: "tea" } };
    await executeGraph(compiled, { ...options, journal: { store, run: "r" } });
    const { state } = await executeGraph(compiled, {
      ...options,
      journal: { store, run: "r", resume: true },
      answers: { "?": 1 },
    });

    expect(fake.calls).toEqual(["a: a tea", "b: b tea", "c: c tea"]);
    expect(state.outputs["n"]).toEqual(["did: a tea", "did: b tea", "did: c tea"]);
  });
});
