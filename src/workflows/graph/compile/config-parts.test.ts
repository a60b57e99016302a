import { describe, expect, test } from "bun:test";
import { annotation, Reducers } from "atomic/workflows/graph";
import { say } from "../../../../tests/support/graph-kit.ts";
import { edge, faultsOf, pathsOf, sound } from "../../../../tests/support/config-faults.ts";

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
