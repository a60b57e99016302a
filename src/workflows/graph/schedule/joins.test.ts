import { describe, expect, test } from "bun:test";
import type { Edge, NodeDefinition } from "atomic/workflows/graph";
import { compileGraphConfig, createNode, executeGraph, graph, MemorySaver, parallelNode } from "atomic/workflows/graph";
import type { Gate, LogState } from "../../../../tests/support/graph-kit.ts";
import { createGate, logAnnotations, say, sayAfter, summary } from "../../../../tests/support/graph-kit.ts";

/** `"a > b c"`: an edge from a to b and one from a to c. Nodes that are not given just say their id. */
function drawn(lines: readonly string[], given: readonly NodeDefinition<LogState>[] = []) {
  const edges: Edge<LogState>[] = lines.flatMap((line) => {
    const [from = "", to = ""] = line.split(" > ");
    return to.split(" ").map((each) => ({ from, to: each }));
  });
  const ids = [...new Set(lines.flatMap((line) => line.split(/[ >]+/)))];
  const nodes = ids.map((id) => given.find((node) => node.id === id) ?? say(id));
  return compileGraphConfig<LogState>({
    startNode: ids[0] as string,
    nodes,
    edges,
    stateAnnotations: logAnnotations,
  });
}

/** Runs it once per order in which the held nodes are let go. */
async function logsOf(lines: readonly string[], held: readonly string[]): Promise<string[][]> {
  const logs: string[][] = [];
  for (const order of permutations(held)) {
    const gates = new Map<string, Gate>(held.map((id) => [id, createGate()]));
    const nodes = held.map((id) => sayAfter(id, () => gates.get(id)?.opened));
    const running = drawn(lines, nodes).execute();
    for (const id of order) {
      gates.get(id)?.open();
      // A released node runs as far as it can before the next one is released.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    logs.push((await running).log);
  }
  return logs;
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) => permutations(items.toSpliced(i, 1)).map((rest) => [item, ...rest]));
}

describe("branches meet", () => {
  test("in the node both lead to, which runs once", async () => {
    expect((await drawn(["s > a b", "a > end", "b > end"]).execute()).log).toEqual(["s", "a", "b", "end"]);
  });

  test("when one way is longer than the other", async () => {
    expect((await drawn(["s > a b", "a > a1", "a1 > a2", "a2 > end", "b > end"]).execute()).log).toEqual([
      "s",
      "a",
      "a1",
      "a2",
      "b",
      "end",
    ]);
  });

  test("when the fork itself leads to the join", async () => {
    expect((await drawn(["s > a end", "a > end"]).execute()).log).toEqual(["s", "a", "end"]);
  });

  test("inside an outer fork, and then outside", async () => {
    const { log } = await drawn(["s > a b", "a > a1 a2", "a1 > aj", "a2 > aj", "aj > end", "b > end"]).execute();

    expect(log).toEqual(["s", "a", "a1", "a2", "aj", "b", "end"]);
  });

  test("when an inner fork and an outer one end in the same node", async () => {
    const { log } = await drawn(["s > a b", "a > a1 a2", "a1 > end", "a2 > end", "b > end"]).execute();

    expect(log).toEqual(["s", "a", "a1", "a2", "b", "end"]);
  });

  test("although one of them ended before", async () => {
    const { log } = await drawn(["s > a b dead", "a > end", "b > end"]).execute();

    expect(log.filter((id) => id === "end")).toEqual(["end"]);
    expect(log.toSorted()).toEqual(["a", "b", "dead", "end", "s"]);
  });

  test("in no node when none joins them, and their updates still fold in declaration order", async () => {
    const logs = await logsOf(["s > a b c", "a > a1", "b > b1", "c > c1"], ["a", "b", "c"]);

    expect(new Set(logs.map(String))).toEqual(new Set(["s,a,a1,b,b1,c,c1"]));
  });
});

describe("partial joins", () => {
  const lines = ["s > a b c", "a > ab", "b > ab", "ab > end", "c > end"];

  test("join those that meet, and later the rest, whatever finishes first", async () => {
    const logs = await logsOf(lines, ["a", "b", "c"]);

    expect(logs).toHaveLength(6);
    for (const log of logs) {
      expect(log.filter((id) => id === "ab")).toHaveLength(1);
      expect(log.filter((id) => id === "end")).toHaveLength(1);
      expect(log).toEqual(logs[0] as string[]);
    }
  });

  test("show the joined node what its own branches did, and nothing of the others", async () => {
    const seen: Record<string, string[]> = {};
    const look = (id: string) => sayAfter(id, ({ state }) => (seen[id] = [...state.log]));

    await drawn(lines, [look("ab"), look("end")]).execute();

    expect(seen["ab"]).toEqual(["s", "a", "b"]);
    expect(seen["end"]?.toSorted()).toEqual(["a", "ab", "b", "c", "s"]);
  });

  test("that cross each other give the same result in any order", async () => {
    const logs = await logsOf(["s > a b c", "a > x y", "b > x", "c > y", "x > end", "y > end"], ["a", "b", "c"]);

    for (const log of logs) expect(log).toEqual(logs[0] as string[]);
    expect(logs[0]?.filter((id) => id === "end")).toHaveLength(1);
  });

  test("leave records that resume to the same state", async () => {
    const store = new MemorySaver();
    const ask = createNode<LogState>({
      id: "c",
      execute: async ({ ask }) => ({ stateUpdate: { log: [(await ask("who?")) as string] } }),
    });
    const compiled = drawn(lines, [ask]);
    const paused = await executeGraph(compiled, { journal: { store, run: "r" } });
    expect(paused.status).toBe("paused");

    const resumed = await executeGraph(compiled, {
      journal: { store, run: "r", resume: true },
      answers: { "who?": "c" },
    });

    expect(resumed.state.log).toEqual((await drawn(lines).execute()).log);
  });
});

describe("conditional ways in a branch", () => {
  const build = (total: number) => {
    const compiled = compileGraphConfig<LogState>({
      startNode: "s",
      nodes: [say("s"), say("a"), say("b"), say("detour"), say("end")],
      edges: [
        { from: "s", to: "a" },
        { from: "s", to: "b" },
        { from: "a", to: "detour", condition: (state) => state.total > 10 },
        { from: "a", to: "end" },
        { from: "detour", to: "end" },
        { from: "b", to: "end" },
      ],
      stateAnnotations: logAnnotations,
    });
    return compiled.execute({ total });
  };

  test("join all the same, taken or not", async () => {
    expect((await build(0)).log).toEqual(["s", "a", "b", "end"]);
    expect((await build(20)).log).toEqual(["s", "a", "detour", "b", "end"]);
  });

  test("that end the branch do not keep the others from joining", async () => {
    const compiled = compileGraphConfig<LogState>({
      startNode: "s",
      nodes: [say("s"), say("a"), say("b"), say("end")],
      edges: [
        { from: "s", to: "a" },
        { from: "s", to: "b" },
        { from: "a", to: "end", condition: () => false },
        { from: "b", to: "end" },
      ],
      stateAnnotations: logAnnotations,
    });

    expect((await compiled.execute()).log).toEqual(["s", "a", "b", "end"]);
  });

  test("that lead back before the fork fork again", async () => {
    let rounds = 0;
    const compiled = compileGraphConfig<LogState>({
      startNode: "s",
      nodes: [say("s"), say("a"), say("b"), sayAfter("join", () => rounds++)],
      edges: [
        { from: "s", to: "a" },
        { from: "s", to: "b" },
        { from: "a", to: "join" },
        { from: "b", to: "join" },
        { from: "join", to: "s", condition: (state) => state.total < 8 },
      ],
      stateAnnotations: logAnnotations,
    });

    expect((await compiled.execute()).log).toEqual(["s", "a", "b", "join", "s", "a", "b", "join"]);
    expect(rounds).toBe(2);
  });
});

test("a fork in a parallel branch joins inside the branch", async () => {
  const store = new MemorySaver();
  const inner = graph(logAnnotations)
    .start(say("i"))
    .parallel({ id: "inner", branches: { x: say("x"), y: say("y") } })
    .then(say("j"))
    .compile();
  const compiled = graph(logAnnotations)
    .start(say("s"))
    .parallel({ id: "outer", branches: { one: [say("o1"), say("o2")], two: inner } })
    .then(say("end"))
    .compile();
  const events: string[] = [];

  const result = await executeGraph(compiled, {
    journal: { store, run: "r" },
    onEvent: (event) => events.push(...summary([event])),
  });

  expect(result.status).toBe("completed");
  expect(events.filter((event) => event.startsWith("node.finished")).toSorted()).toEqual([
    "node.finished end#1",
    "node.finished outer#1/one/o1#1",
    "node.finished outer#1/one/o2#1",
    "node.finished outer#1/two/outer%2ftwo#1",
    "node.finished outer#1/two/outer%2ftwo#1/i#1",
    "node.finished outer#1/two/outer%2ftwo#1/inner#1/x/x#1",
    "node.finished outer#1/two/outer%2ftwo#1/inner#1/y/y#1",
    "node.finished outer#1/two/outer%2ftwo#1/j#1",
    "node.finished s#1",
  ]);
});

describe("branches that are named by the ids of nodes of the same graph", () => {
  const config = (edges: readonly Edge<LogState>[], concurrency?: number) =>
    compileGraphConfig<LogState>({
      startNode: "s",
      nodes: [
        say("s"),
        parallelNode({ id: "fan", branches: ["x", "y", "z"], concurrency }),
        say("x"),
        say("x2"),
        say("y"),
        say("z"),
        say("end"),
      ].filter(({ id }) => id !== "x2" || edges.some(({ to }) => to === "x2")),
      edges: [{ from: "s", to: "fan" }, ...edges],
      stateAnnotations: logAnnotations,
    });

  test("run at the same time, meet in the parallel node and continue along its edges", async () => {
    expect((await config([{ from: "fan", to: "end" }]).execute()).log).toEqual(["s", "x", "y", "z", "end"]);
    expect((await config([{ from: "fan", to: "end" }], 1).execute()).log).toEqual(["s", "x", "y", "z", "end"]);
  });

  test("may have their own edges, and meet where these lead", async () => {
    const edges = [{ from: "x", to: "x2" }, ...["x2", "y", "z"].map((from) => ({ from, to: "end" }))];

    expect((await config(edges).execute()).log).toEqual(["s", "x", "x2", "y", "z", "end"]);
  });

  test("may be parallel nodes themselves", async () => {
    const compiled = compileGraphConfig<LogState>({
      startNode: "outer",
      nodes: [
        parallelNode({ id: "outer", branches: ["inner", "z"] }),
        parallelNode({ id: "inner", branches: ["x", "y"] }),
        say("x"),
        say("y"),
        say("z"),
        say("end"),
      ],
      edges: [{ from: "outer", to: "end" }],
      stateAnnotations: logAnnotations,
    });

    expect((await compiled.execute()).log).toEqual(["x", "y", "z", "end"]);
  });

  test("are called by their ids in keys and in merge", async () => {
    const names: string[] = [];
    const compiled = compileGraphConfig<LogState>({
      startNode: "fan",
      nodes: [
        parallelNode({
          id: "fan",
          branches: ["x", "y"],
          merge: (results) => {
            names.push(...results.keys());
            return {};
          },
        }),
        say("x"),
        say("y"),
      ],
      edges: [],
    });
    const keys: unknown[] = [];
    await executeGraph(compiled, { onEvent: (event) => event.type === "node.finished" && keys.push(event.key) });

    expect(names).toEqual(["x", "y"]);
    expect(keys).toEqual(["fan#1/x/x#1", "fan#1/y/y#1"]);
  });
});
