import { describe, expect, test } from "bun:test";
import type { WorkflowGraphConfig } from "atomic/workflows/graph";
import {
  annotation,
  AtomicError,
  compileGraphConfig,
  createNode,
  parallelNode,
  Reducers,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { say } from "../../../../tests/support/graph-kit.ts";

/** What comes from a file can have any shape. */
function compile(config: unknown): unknown {
  return compileGraphConfig(config as WorkflowGraphConfig);
}

interface Fault {
  readonly path: string;
  readonly problem: string;
}

function faultsOf(config: unknown): readonly Fault[] {
  try {
    compile(config);
  } catch (thrown) {
    if (!AtomicError.is(thrown, "GRAPH_INVALID")) throw thrown;
    const faults = thrown.details["faults"] as readonly Fault[] | undefined;
    // The text names each of them too.
    for (const { path, problem } of faults ?? []) expect(thrown.message).toContain(`${path}: ${problem}`);
    return faults ?? [];
  }
  return [];
}

const pathsOf = (config: unknown): string[] => faultsOf(config).map(({ path }) => path);
const edge = (from: string, to: string) => ({ from, to });
const sound = { startNode: "a", nodes: [say("a"), say("b")], edges: [edge("a", "b")] };

test("a sound config compiles", () => {
  expect(faultsOf(sound)).toEqual([]);
});

describe("a config that is not an object is refused", () => {
  for (const config of [undefined, null, "a", 1, [], () => ({})]) {
    test(String(config) || "[]", () => {
      expect(() => compile(config)).toThrow(/A graph config is an object \{ startNode, nodes, edges \}/);
    });
  }
});

describe("the graph as a whole", () => {
  test("an unknown start is named, with the nearest id", () => {
    expect(faultsOf({ startNode: "plna", nodes: [say("plan")], edges: [] })).toEqual([
      { path: "startNode", problem: 'there is no node "plna" (did you mean "plan"?)' },
    ]);
  });

  test("unknown ends of edges are named by their place", () => {
    expect(faultsOf({ ...sound, edges: [edge("a", "b"), edge("a", "x"), edge("y", "b")] })).toEqual([
      { path: "edges[1].to", problem: 'there is no node "x"' },
      { path: "edges[2].from", problem: 'there is no node "y"' },
    ]);
  });

  test("a node that can't be reached is named", () => {
    const [fault, ...others] = faultsOf({ ...sound, nodes: [...sound.nodes, say("island")] });

    expect(others).toEqual([]);
    expect(fault?.path).toBe('node "island"');
    expect(fault?.problem).toContain('can\'t be reached from "a"');
  });

  test("nodes that only reach each other are not reached", () => {
    const nodes = [...sound.nodes, say("x"), say("y")];

    expect(pathsOf({ ...sound, nodes, edges: [edge("a", "b"), edge("x", "y"), edge("y", "x")] })).toEqual([
      'node "x"',
      'node "y"',
    ]);
  });

  test("what a node may go to counts as reached, and must exist", () => {
    const jump = createNode<LogState>({ id: "a", targets: ["b"], execute: () => ({ goto: "b" }) });
    const lost = createNode<LogState>({ id: "a", targets: ["b", "c"], execute: () => ({ goto: "b" }) });

    expect(faultsOf({ startNode: "a", nodes: [jump, say("b")], edges: [] })).toEqual([]);
    expect(faultsOf({ startNode: "a", nodes: [lost, say("b")], edges: [] })).toEqual([
      { path: 'node "a"', problem: 'goes to "c", and there is no such node' },
    ]);
  });

  test("where a failure goes counts as reached, and must exist", () => {
    const handled = (onError: string) => [say("a", { onError }), say("b")];

    expect(faultsOf({ startNode: "a", nodes: handled("b"), edges: [] })).toEqual([]);
    expect(pathsOf({ startNode: "a", nodes: handled("c"), edges: [edge("a", "b")] })).toEqual(['node "a"']);
  });

  test("an id that two nodes have is named", () => {
    expect(faultsOf({ ...sound, nodes: [say("a"), say("b"), say("b")] })).toEqual([
      { path: "nodes[2].id", problem: '"b" is used by two nodes' },
    ]);
  });

  test("the same edge twice is named", () => {
    expect(faultsOf({ ...sound, edges: [edge("a", "b"), edge("a", "b")] })).toEqual([
      { path: "edges[1]", problem: '"a" already has an edge to "b"' },
    ]);
  });
});

describe("single parts", () => {
  const wrong: readonly [string, unknown, readonly string[]][] = [
    ["no nodes and no edges", {}, ["nodes", "edges", "startNode"]],
    ["nodes that are not a list", { ...sound, nodes: { a: say("a") } }, ["nodes"]],
    ["edges that are not a list", { ...sound, edges: "a > b" }, ["edges"]],
    ["an empty list of nodes", { startNode: "a", nodes: [], edges: [] }, ["nodes"]],
    ["invalid nodes", { ...sound, nodes: [null, 1, "a", say("b")] }, ["nodes[0]", "nodes[1]", "nodes[2]"]],
    [
      "nodes without an id",
      { ...sound, nodes: [{ execute: () => {} }, { id: "", execute: () => {} }] },
      ["nodes[0].id", "nodes[1].id"],
    ],
    ["a node without a body", { ...sound, nodes: [{ id: "a", type: "tool" }, say("b")] }, ['nodes[0] ("a")']],
    [
      "an invalid body",
      { ...sound, nodes: [{ id: "a", type: "tool", execute: "x" }, say("b")] },
      ['nodes[0] ("a").execute'],
    ],
    [
      "a wrong number of tries",
      { ...sound, nodes: [say("a", { retry: { maxAttempts: 0 } }), say("b")] },
      ['nodes[0] ("a").retry.maxAttempts'],
    ],
    [
      "no number of tries",
      { ...sound, nodes: [say("a", { retry: {} as never }), say("b")] },
      ['nodes[0] ("a").retry.maxAttempts'],
    ],
    [
      "retry that is not an object",
      { ...sound, nodes: [say("a", { retry: 3 as never }), say("b")] },
      ['nodes[0] ("a").retry'],
    ],
    [
      "retry that is null",
      { ...sound, nodes: [say("a", { retry: null as never }), say("b")] },
      ['nodes[0] ("a").retry'],
    ],
    [
      "wrong pauses",
      {
        ...sound,
        nodes: [
          say("a", {
            retry: { maxAttempts: 2, backoffMs: -1, backoffMultiplier: Number.NaN, maxBackoffMs: "1" as never },
          }),
          say("b"),
        ],
      },
      ['nodes[0] ("a").retry.backoffMs', 'nodes[0] ("a").retry.backoffMultiplier', 'nodes[0] ("a").retry.maxBackoffMs'],
    ],
    [
      "retryOn that is not a function",
      { ...sound, nodes: [say("a", { retry: { maxAttempts: 2, retryOn: "always" as never } }), say("b")] },
      ['nodes[0] ("a").retry.retryOn'],
    ],
    [
      "a wrong timeout",
      { ...sound, nodes: [say("a", { timeoutMs: 0 }), say("b", { timeoutMs: "1s" as never })] },
      ['nodes[0] ("a").timeoutMs', 'nodes[1] ("b").timeoutMs'],
    ],
    [
      "an endless timeout",
      { ...sound, nodes: [say("a", { timeoutMs: Number.POSITIVE_INFINITY }), say("b")] },
      ['nodes[0] ("a").timeoutMs'],
    ],
    ["a wrong onError", { ...sound, nodes: [say("a", { onError: 1 as never }), say("b")] }, ['nodes[0] ("a").onError']],
    ["wrong targets", { ...sound, nodes: [{ ...say("a"), targets: "b" }, say("b")] }, ['nodes[0] ("a").targets']],
    ["invalid edges", { ...sound, edges: [null, "a", 1] }, ["edges[0]", "edges[1]", "edges[2]"]],
    [
      "edges without ends",
      { ...sound, edges: [{}, { from: "a" }, { to: "b" }] },
      ["edges[0].from", "edges[0].to", "edges[1].to", "edges[2].from"],
    ],
    [
      "an invalid condition",
      { ...sound, edges: [{ ...edge("a", "b"), condition: "total > 1" }] },
      ["edges[0].condition"],
    ],
    ["no start", { ...sound, startNode: undefined }, ["startNode"]],
    ["a wrong number of iterations", { ...sound, maxIterations: -1 }, ["maxIterations"]],
    ["annotations that are not an object", { ...sound, stateAnnotations: [] }, ["stateAnnotations"]],
    [
      "invalid annotations",
      { ...sound, stateAnnotations: { n: 1, m: null, o: { default: 1 } } },
      ["stateAnnotations.n", "stateAnnotations.m", "stateAnnotations.o"],
    ],
    [
      "a default that throws",
      {
        ...sound,
        stateAnnotations: {
          n: annotation(() => {
            throw new Error("no");
          }),
        },
      },
      ["stateAnnotations.n"],
    ],
    [
      "a default that is not JSON",
      { ...sound, stateAnnotations: { n: annotation(() => new Date(0)), m: annotation(Number.NaN) } },
      ["stateAnnotations.n", "stateAnnotations.m"],
    ],
    [
      "a key that reaches a prototype",
      { ...sound, stateAnnotations: { constructor: annotation(1) } },
      ["stateAnnotations.constructor"],
    ],
  ];

  for (const [what, config, paths] of wrong) {
    test(`${what}: found at ${paths.join(", ")}`, () => {
      expect(pathsOf(config)).toEqual([...paths]);
    });
  }

  test("defaults must fit the built-in reducers", () => {
    const stateAnnotations = {
      concat: { default: "", reducer: Reducers.concat },
      mergeById: { default: {}, reducer: Reducers.mergeById },
      merge: { default: [], reducer: Reducers.merge },
      sum: { default: "0", reducer: Reducers.sum },
      max: { default: null, reducer: Reducers.max },
      min: { default: [], reducer: Reducers.min },
      or: { default: 0, reducer: Reducers.or },
      and: { default: "yes", reducer: Reducers.and },
      fine: { default: null, reducer: Reducers.ifDefined },
    };

    expect(faultsOf({ ...sound, stateAnnotations })).toEqual([
      { path: "stateAnnotations.concat", problem: 'its reducer concat needs a list as default, got ""' },
      { path: "stateAnnotations.mergeById", problem: "its reducer mergeById needs a list as default, got an object" },
      { path: "stateAnnotations.merge", problem: "its reducer merge needs an object as default, got a list" },
      { path: "stateAnnotations.sum", problem: 'its reducer sum needs a number as default, got "0"' },
      { path: "stateAnnotations.max", problem: "its reducer max needs a number as default, got null" },
      { path: "stateAnnotations.min", problem: "its reducer min needs a number as default, got a list" },
      { path: "stateAnnotations.or", problem: "its reducer or needs a boolean as default, got 0" },
      { path: "stateAnnotations.and", problem: 'its reducer and needs a boolean as default, got "yes"' },
    ]);
  });
});

describe("parallel nodes", () => {
  const fan = (parallel: object) => ({ startNode: "p", nodes: [{ id: "p", type: "parallel", parallel }], edges: [] });
  const branch = (name: string, nodes: unknown) => ({ name, nodes });

  const wrong: readonly [string, object, readonly string[]][] = [
    [
      "an unknown strategy",
      { branches: [branch("x", [say("x")])], strategy: "most", concurrency: 1 },
      ['nodes[0] ("p").strategy'],
    ],
    [
      "a wrong limit",
      { branches: [branch("x", [say("x")])], strategy: "all", concurrency: 0 },
      ['nodes[0] ("p").concurrency'],
    ],
    ["no branches", { branches: [], strategy: "all", concurrency: 1 }, ['nodes[0] ("p").branches']],
    ["branches that are not a list", { branches: "x", strategy: "all", concurrency: 1 }, ['nodes[0] ("p").branches']],
    [
      "two branches of one name",
      { branches: [branch("x", [say("x")]), branch("x", [say("y")])], strategy: "all", concurrency: 1 },
      ['nodes[0] ("p").branches[1]'],
    ],
    [
      "an empty branch",
      { branches: [branch("x", [])], strategy: "all", concurrency: 1 },
      ['nodes[0] ("p").branches[0]'],
    ],
    [
      "an invalid branch",
      { branches: [null, branch("x", 1)], strategy: "all", concurrency: 1 },
      ['nodes[0] ("p").branches[0]', 'nodes[0] ("p").branches[1]'],
    ],
    [
      "an invalid merge",
      { branches: [branch("x", [say("x")])], strategy: "all", concurrency: 1, merge: "x" },
      ['nodes[0] ("p").merge'],
    ],
    [
      "an invalid node in a branch",
      { branches: [branch("x", [say("x"), { id: "y" }])], strategy: "all", concurrency: 1 },
      ['nodes[0] ("p").branches[0][1] ("y")'],
    ],
    [
      "a branch that names no node",
      { branches: [branch("x", "nobody")], strategy: "all", concurrency: 1 },
      ['node "p".branches[0]'],
    ],
  ];

  for (const [what, parallel, paths] of wrong) {
    test(`${what}: found at ${paths.join(", ")}`, () => {
      expect(pathsOf(fan(parallel))).toEqual([...paths]);
    });
  }

  test("a node in a branch can't have the id of another node", () => {
    const nodes = [
      { id: "p", type: "parallel", parallel: { branches: [branch("x", [say("b")])], strategy: "all", concurrency: 1 } },
      say("b"),
    ];

    expect(faultsOf({ startNode: "p", nodes, edges: [edge("p", "b")] }).map(({ problem }) => problem)).toContain(
      '"b" is used by two nodes',
    );
  });

  test("a race needs branches that end in it", () => {
    const nodes = [
      { id: "p", type: "parallel", parallel: { branches: [branch("x", "x")], strategy: "race", concurrency: 1 } },
      say("x"),
      say("y"),
    ];

    expect(faultsOf({ startNode: "p", nodes, edges: [edge("x", "y")] }).map(({ problem }) => problem)).toEqual([
      'strategy "race" needs branches that end in this node; a branch has its own edges',
    ]);
  });
});

test("all faults come in one error, in the order of the config", () => {
  const config = {
    startNode: "nobody",
    nodes: [say("a"), say("a")],
    edges: [edge("a", "x"), edge("y", "a")],
  };
  let message = "";
  try {
    compileGraphConfig(config as WorkflowGraphConfig<LogState>, { name: "plan" });
  } catch (thrown) {
    message = (thrown as Error).message;
  }

  expect(message.split("\n")).toEqual([
    'The graph "plan" can\'t be compiled, 4 faults:',
    '  nodes[1].id: "a" is used by two nodes',
    '  startNode: there is no node "nobody"',
    '  edges[0].to: there is no node "x"',
    '  edges[1].from: there is no node "y"',
  ]);
});

test("faults of parts and of the whole come together", () => {
  const nodes = [say("a", { timeoutMs: -1 })];

  expect(pathsOf({ startNode: "nobody", nodes, edges: [{ from: "x" }], maxIterations: 1.5 })).toEqual([
    'nodes[0] ("a").timeoutMs',
    "edges[0].to",
    "maxIterations",
    "startNode",
    "edges[0].from",
  ]);
});

test("a node without an id keeps edges from being blamed for what it may be called", () => {
  expect(pathsOf({ startNode: "a", nodes: [{ execute: () => {} }], edges: [edge("a", "b")] })).toEqual(["nodes[0].id"]);
});

test("options of compile are checked like the rest", () => {
  const options = {
    name: 1,
    maxSteps: -1,
    stateVersion: "2",
    migrateState: {},
    checkpointing: "yes",
    checkpointDir: 5,
  };
  let faults: readonly Fault[] = [];
  try {
    compileGraphConfig(sound as WorkflowGraphConfig<LogState>, options as never);
  } catch (thrown) {
    faults = (thrown as AtomicError).details["faults"] as readonly Fault[];
  }

  expect(faults).toEqual([
    { path: "maxSteps", problem: "must be a whole number of at least 0, not -1" },
    { path: "stateVersion", problem: 'must be a whole number of at least 0, not "2"' },
    { path: "name", problem: "must be a string, is 1" },
    { path: "migrateState", problem: "must be a function, is an object" },
    { path: "checkpointing", problem: 'must be a boolean, is "yes"' },
    { path: "checkpointDir", problem: "must be a string or a function, is 5" },
  ]);
});

test("an id that a parallel node needs for its end is refused", () => {
  const nodes = [parallelNode<LogState>({ id: "p", branches: [say("x")] }), say("p/join")];

  expect(faultsOf({ startNode: "p", nodes, edges: [edge("p", "p/join")] })).toEqual([
    { path: 'node "p/join"', problem: 'the id is taken: that is what the end of the parallel node "p" is called' },
  ]);
});

test("edges of a parallel node whose branches all go their own way are never followed, and said to be", () => {
  const nodes = [parallelNode<LogState>({ id: "p", branches: ["x"] }), say("x"), say("y"), say("z")];
  const config = { startNode: "p", nodes, edges: [edge("x", "y"), edge("p", "z")] };

  expect(pathsOf(config)).toEqual(['node "p"', 'node "z"']);
});

test("thousands of faults are counted, and the first fifty are shown", () => {
  const edges = Array.from({ length: 3000 }, (_, i) => edge("a", `x${i}`));
  let thrown: unknown;
  try {
    compile({ ...sound, edges: [...sound.edges, ...edges] });
  } catch (error) {
    thrown = error;
  }

  const lines = (thrown as Error).message.split("\n");
  expect(lines).toHaveLength(52);
  expect(lines[0]).toContain("3000 faults");
  expect(lines[51]).toBe("  … and 2950 more");
});
