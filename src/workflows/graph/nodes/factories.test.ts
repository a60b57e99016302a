import { describe, expect, test } from "bun:test";
import type { BaseState, NodeDefinition, SubagentSpawnOptions, Tool, WorkflowBridge } from "atomic/workflows/graph";
import {
  AtomicError,
  askUserNode,
  createDecisionNode,
  createNode,
  createWaitNode,
  customToolNode,
  decisionNode,
  executeGraph,
  graph,
  mapNode,
  parallelNode,
  subagentNode,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";
import { logAnnotations, say } from "../../../../tests/support/graph-kit.ts";

const common = {
  name: "A name",
  description: "what it does",
  retry: { maxAttempts: 2 },
  onError: "rescue",
  timeoutMs: 5000,
};
const inner = graph(logAnnotations).start(say("i")).compile();

/** Each factory in both shapes, with everything that all of them take. */
const shapes: readonly [string, NodeDefinition<BaseState>, NodeDefinition<BaseState>, string][] = [
  [
    "createNode",
    createNode({ id: "n", execute: () => {}, ...common }),
    createNode("n", { execute: () => {}, ...common }),
    "tool",
  ],
  [
    "toolNode",
    toolNode({ id: "n", execute: () => 1, ...common }),
    toolNode("n", { execute: () => 1, ...common }),
    "tool",
  ],
  [
    "customToolNode",
    customToolNode({ id: "n", tool: "t", ...common }),
    customToolNode("n", { tool: "t", ...common }),
    "tool",
  ],
  [
    "decisionNode",
    decisionNode({ id: "n", routes: [], fallback: "f", ...common }),
    decisionNode("n", { routes: [], fallback: "f", ...common }),
    "decision",
  ],
  ["waitNode", waitNode({ id: "n", prompt: "?", ...common }), waitNode("n", { prompt: "?", ...common }), "wait"],
  [
    "askUserNode",
    askUserNode({ id: "n", question: "?", ...common }),
    askUserNode("n", { question: "?", ...common }),
    "ask_user",
  ],
  [
    "subagentNode",
    subagentNode({ id: "n", agent: "a", task: "t", ...common }),
    subagentNode("n", { agent: "a", task: "t", ...common }),
    "agent",
  ],
  ["subgraphNode", subgraphNode({ id: "n", subgraph: inner, ...common }), subgraphNode("n", inner, common), "subgraph"],
  [
    "subgraphNode with options",
    subgraphNode({ id: "n", subgraph: "x", ...common }),
    subgraphNode("n", { subgraph: "x", ...common }),
    "subgraph",
  ],
  [
    "mapNode",
    mapNode({ id: "n", items: () => [], node: toolNode({ id: "m", execute: () => 1 }), ...common }),
    mapNode("n", { items: () => [], node: toolNode({ id: "m", execute: () => 1 }), ...common }),
    "parallel",
  ],
];

describe("every factory takes one object, or an id and options", () => {
  for (const [factory, one, two, type] of shapes) {
    test(factory, () => {
      for (const node of [one, two]) expect(node).toMatchObject({ id: "n", type, ...common });
      expect(Object.keys(one).toSorted()).toEqual(Object.keys(two).toSorted());
    });
  }

  test("parallelNode", () => {
    const one = parallelNode({
      id: "n",
      branches: [createNode({ id: "x", execute: () => {} })],
      name: "A name",
      onError: "rescue",
    });
    const two = parallelNode("n", {
      branches: [createNode({ id: "x", execute: () => {} })],
      name: "A name",
      onError: "rescue",
    });

    for (const node of [one, two]) {
      expect(node).toMatchObject({ id: "n", type: "parallel", name: "A name", onError: "rescue" });
      expect(node.parallel).toMatchObject({ strategy: "all", concurrency: 16 });
    }
  });

  test("createDecisionNode and createWaitNode take them in line", () => {
    expect(createDecisionNode("n", [{ condition: () => true, target: "x" }], "y")).toMatchObject({
      id: "n",
      type: "decision",
      targets: ["x", "y"],
    });
    expect(createWaitNode("n", "?")).toMatchObject({ id: "n", type: "wait" });
  });

  test("what is not given is not there", () => {
    expect(Object.keys(createNode({ id: "n", execute: () => {}, retry: undefined })).toSorted()).toEqual([
      "execute",
      "id",
      "type",
    ]);
  });
});

describe("wrong use of a factory throws at once, naming it and the node", () => {
  const wrong: readonly [string, () => unknown, string][] = [
    ["no id", () => toolNode({ execute: () => 1 } as never), "toolNode: needs an id"],
    ["an empty id", () => createNode({ id: " ", execute: () => {} }), "createNode: needs an id"],
    ["an id that is not a string", () => waitNode({ id: 1, prompt: "?" } as never), "waitNode: needs an id"],
    ["nothing at all", () => parallelNode(undefined as never), "parallelNode: needs an id"],
    ["createNode without a body", () => createNode({ id: "n" } as never), 'createNode "n": needs `execute`'],
    [
      "a tool without a function or a name",
      () => toolNode({ id: "n" }),
      'toolNode "n": give either `execute` (a function) or `tool` (a name).',
    ],
    ["a tool with both", () => toolNode({ id: "n", execute: () => 1, tool: "x" }), 'toolNode "n": give either'],
    ["a tool with an invalid body", () => toolNode({ id: "n", execute: "x" as never }), 'toolNode "n": '],
    ["customToolNode without a name", () => customToolNode({ id: "n" } as never), "needs `tool`"],
    ["a wait without a prompt", () => waitNode({ id: "n" } as never), 'waitNode "n": needs a `prompt`.'],
    ["a question without one", () => askUserNode({ id: "n" } as never), 'askUserNode "n": needs a `question`.'],
    [
      "a sub-agent without a name",
      () => subagentNode({ id: "n", task: "t" }),
      'subagentNode "n": needs `agent` (a name) and `task`.',
    ],
    ["a sub-agent without a task", () => subagentNode({ id: "n", agent: "a" }), 'subagentNode "n": needs'],
    ["invalid branches", () => parallelNode({ id: "n", branches: 5 as never }), 'parallelNode "n": needs `branches`.'],
    [
      "an invalid branch",
      () => parallelNode({ id: "n", branches: { x: 5 as never } }),
      'parallelNode "n": branch x must be',
    ],
    [
      "a branch without a body",
      () => parallelNode({ id: "n", branches: [{} as never] }),
      'parallelNode "n": branch 1 must be',
    ],
  ];

  for (const [what, call, text] of wrong) {
    test(what, () => {
      expect(call).toThrow(text);
      try {
        call();
      } catch (thrown) {
        expect(AtomicError.is(thrown, "BUILDER_MISUSE")).toBe(true);
      }
    });
  }
});

describe("toolNode by name", () => {
  const given: unknown[] = [];
  const grep: Tool = {
    name: "grep",
    description: "finds",
    execute: (input, { signal }) => {
      given.push(input, signal.aborted);
      return ["found"];
    },
  };
  const tools = {
    tool: (name: string) => {
      if (name !== "grep") throw new Error(`Tool not found: "${name}" (did you mean "grep"?)`);
      return grep;
    },
  };

  test("runs the runtime's tool with its input, and puts the result into outputs", async () => {
    given.length = 0;
    const compiled = graph(logAnnotations)
      .start(toolNode({ id: "a", tool: "grep", input: (state) => ({ n: state.total }) }))
      .then(customToolNode({ id: "b", tool: "grep", args: "x" }))
      .then(toolNode({ id: "c", tool: "grep" }))
      .compile();
    const { state } = await executeGraph(compiled, { runtime: { tools } });

    expect(state.outputs).toEqual({ a: ["found"], b: ["found"], c: ["found"] });
    expect(given.slice(0, 4)).toEqual([{ n: 0 }, false, "x", false]);
    expect(given[4]).toMatchObject({ log: [], total: 0 });
  });

  test("that is unknown, or without tools, fails the node", async () => {
    const run = (tool: string, runtime: object) =>
      executeGraph(
        graph()
          .start(toolNode({ id: "a", tool }))
          .compile(),
        { runtime },
      );

    expect((await run("gerp", { tools })).error?.message).toContain('Tool not found: "gerp" (did you mean "grep"?)');
    expect((await run("grep", {})).error).toMatchObject({ code: "RUNTIME_MISSING" });
    expect((await run("grep", {})).error?.message).toContain('Node "a" uses the tool "grep"');
  });
});

describe("subagentNode", () => {
  const spawned: SubagentSpawnOptions[] = [];
  const agents: WorkflowBridge = {
    spawn: async (options) => {
      spawned.push(options);
      return options.agent === "broken"
        ? { success: false, output: "", error: "no model" }
        : { success: true, output: `done: ${options.task}`, modelUsed: "m" };
    },
    spawnParallel: async () => [],
    contextUsage: async () => undefined,
    clearSession: async () => undefined,
    compactSession: async () => undefined,
  };

  test("spawns the named agent with its task, under either pair of names", async () => {
    spawned.length = 0;
    const compiled = graph<BaseState & { prompt: string }>()
      .start(subagentNode({ id: "plan", agent: "planner", task: ({ prompt }) => `plan ${prompt}`, model: "opus" }))
      .then(
        subagentNode({
          id: "work",
          agentType: "worker",
          instruction: "work",
          outputMapper: ({ output }) => ({ prompt: output }),
        }),
      )
      .compile();
    const { state } = await executeGraph(compiled, { runtime: { agents }, initialState: { prompt: "tea" } });

    expect(spawned.map(({ agent, task, model }) => ({ agent, task, model }))).toEqual([
      { agent: "planner", task: "plan tea", model: "opus" },
      { agent: "worker", task: "work", model: undefined },
    ]);
    expect(spawned[0]?.context).toMatchObject({ node: "plan", key: "plan#1" });
    expect(state).toMatchObject({ outputs: { plan: "done: plan tea" }, prompt: "done: work" });
  });

  test("fails the node when the agent fails, and when there is none", async () => {
    const run = (agent: string, runtime: object) =>
      executeGraph(
        graph()
          .start(subagentNode({ id: "a", agent, task: "t" }))
          .compile(),
        { runtime },
      );

    expect((await run("broken", { agents })).error?.message).toContain("no model");
    expect((await run("worker", {})).error).toMatchObject({ code: "RUNTIME_MISSING" });
  });
});
