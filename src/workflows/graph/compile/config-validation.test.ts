import { describe, expect, test } from "bun:test";
import type { WorkflowGraphConfig } from "atomic/workflows/graph";
import { AtomicError, compileGraphConfig, createNode, parallelNode } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { say } from "../../../../tests/support/graph-kit.ts";
import { compile, edge, type Fault, faultsOf, pathsOf, sound } from "../../../../tests/support/config-faults.ts";

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
