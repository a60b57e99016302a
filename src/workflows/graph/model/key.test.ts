import { describe, expect, test } from "bun:test";
import type { CompiledGraph } from "atomic/workflows/graph";
import { createNode, executeGraph, graph, MemorySaver, parallelNode, subgraphNode } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, logAnnotations, say } from "../../../../tests/support/graph-kit.ts";
import { keyPart, roundOf } from "./key.ts";
import { enclosingVisits } from "./visit-key.ts";

async function keysOf(compiled: CompiledGraph<LogState>): Promise<string[]> {
  const store = new MemorySaver();
  await executeGraph(compiled, { journal: { store, run: "r" } });
  const events = await collect(store.read("r"));
  return events.filter(({ type }) => type === "node.finished").map(({ key }) => key as string);
}

describe("keys", () => {
  test("number the visits of a node", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .loop([say("a"), say("b")], { until: ({ total }) => total > 4 })
      .compile();

    expect(await keysOf(compiled)).toEqual(["s#1", "a#1", "b#1", "a#2", "b#2"]);
  });

  test("name the branch, and number visits in each branch by itself", async () => {
    const twice = (id: string) =>
      createNode<LogState>({ id, targets: [id], execute: ({ visit }) => (visit < 2 ? { goto: id } : {}) });
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ id: "fan", branches: { left: twice("a"), right: twice("b") } })
      .then(say("end"))
      .compile();

    expect((await keysOf(compiled)).toSorted()).toEqual([
      "end#1",
      "fan#1/left/a#1",
      "fan#1/left/a#2",
      "fan#1/right/b#1",
      "fan#1/right/b#2",
      "s#1",
    ]);
  });

  test("distinguish the rounds of a fork in a loop", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .loop(parallelNode({ id: "fan", branches: { x: say("x") } }), { until: ({ total }) => total > 2 })
      .compile();

    expect(await keysOf(compiled)).toEqual(["s#1", "fan#1/x/x#1", "fan#2/x/x#1"]);
  });

  test("distinguish the rounds of a subgraph in a loop", async () => {
    const inner = graph(logAnnotations).start(say("i")).compile();
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .loop([subgraphNode({ id: "sub", subgraph: inner }), say("a")], { until: ({ total }) => total > 2 })
      .compile();

    expect(await keysOf(compiled)).toEqual(["s#1", "sub#1/i#1", "sub#1", "a#1", "sub#2/i#1", "sub#2", "a#2"]);
  });

  test("escape what would look like a path, so that two ids never give one key", async () => {
    const ids = ["a", "a/b", "a#1", "a:b", "a~b", "a+b", "a?b", "a%2fb", "a%"];

    expect(new Set(ids.map(keyPart)).size).toBe(ids.length);
    expect(ids.map(keyPart).every((part) => !/[/#:~+?]/.test(part))).toBe(true);
    const compiled = graph(logAnnotations).start(say("a/b#1")).then(say("a%2fb%231")).compile();
    expect(await keysOf(compiled)).toEqual(["a%2fb%231#1", "a%252fb%25231#1"]);
  });

  test("are the same each time", async () => {
    const build = () =>
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ branches: [[say("x1"), say("x2")], say("y")] })
        .then(say("end"))
        .compile();

    expect((await keysOf(build())).toSorted()).toEqual((await keysOf(build())).toSorted());
  });
});

test("enclosingVisits finds every visit whose subgraph a key is inside of, and not the fork of its branch", () => {
  expect(enclosingVisits("work#1")).toEqual([]);
  expect(enclosingVisits("sub#1/work#1")).toEqual(["sub#1"]);
  expect(enclosingVisits("sub#1~2/work#1")).toEqual(["sub#1"]);
  expect(enclosingVisits("sub#1/#2/work#1")).toContain("sub#1");
  const deep = enclosingVisits("fan#1/left/sub#2/deep#3/work#1");
  expect(deep).toEqual(expect.arrayContaining(["fan#1/left/sub#2", "fan#1/left/sub#2/deep#3"]));
  expect(deep).not.toContain("fan#1");
});

test("roundOf puts everything that one round of a loop runs together, wherever it is", () => {
  const first = { loop: "", round: 1 };
  for (const once of ["plan#1", "fork#1/left/work#1", "sub#1~2/work#1", "each#1/#:1/work#1"])
    expect(roundOf(once)).toEqual(first);
  for (const third of ["work#3", "check#3", "fork#3/left/work#1", "sub#3~2/deep#1/work#1"])
    expect(roundOf(third)).toEqual({ loop: "", round: 3 });
  expect(roundOf("each#1/#:3/work#1")).toEqual({ loop: "1", round: 3 });
  expect(roundOf("each#1/#:3/fork#1/left/work#2")).toEqual({ loop: "1.3.1", round: 2 });
});
