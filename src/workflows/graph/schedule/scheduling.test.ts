import { describe, expect, test } from "bun:test";
import {
  compileGraphConfig,
  createNode,
  executeGraph,
  graph,
  mapNode,
  MemorySaver,
  toolNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import {
  createBarrier,
  createGate,
  createMeter,
  logAnnotations,
  say,
  sayAfter,
} from "../../../../tests/support/graph-kit.ts";

describe("edges", () => {
  test("a chain runs in order, each node with what came before it", async () => {
    const seen: string[][] = [];
    const look = (id: string) => sayAfter(id, ({ state }) => seen.push([...state.log]));
    const compiled = graph(logAnnotations).start(look("a")).then(look("b")).then(look("c")).compile();

    const state = await compiled.execute();

    expect(state.log).toEqual(["a", "b", "c"]);
    expect(seen).toEqual([[], ["a"], ["a", "b"]]);
  });

  const routes = (total: number) =>
    compileGraphConfig<LogState>({
      startNode: "start",
      nodes: [say("start"), say("big"), say("odd"), say("otherwise"), say("also")],
      edges: [
        { from: "start", to: "otherwise" },
        { from: "start", to: "big", condition: (state) => state.total > 100 },
        { from: "start", to: "odd", condition: (state) => state.total % 2 === 1 },
        { from: "start", to: "also" },
      ],
      stateAnnotations: logAnnotations,
    }).execute({ total });

  test("of several conditional edges the first that holds is followed, and no other", async () => {
    expect((await routes(200)).log).toEqual(["start", "big"]);
    expect((await routes(2)).log).toEqual(["start", "odd"]);
  });

  test("unconditional edges are followed only when no condition holds, and then all of them", async () => {
    expect((await routes(1)).log).toEqual(["start", "otherwise", "also"]);
  });

  test("a node none of whose conditions holds is the end", async () => {
    const compiled = compileGraphConfig<LogState>({
      startNode: "a",
      nodes: [say("a"), say("b")],
      edges: [{ from: "a", to: "b", condition: () => false }],
      stateAnnotations: logAnnotations,
    });

    expect((await compiled.execute()).log).toEqual(["a"]);
  });

  test("a condition that throws fails the run, naming the node before it", async () => {
    const compiled = compileGraphConfig<LogState>({
      startNode: "a",
      nodes: [say("a"), say("b")],
      edges: [
        {
          from: "a",
          to: "b",
          condition: () => {
            throw new Error("no luck");
          },
        },
      ],
    });

    await expect(compiled.execute()).rejects.toThrow('A condition after node "a" threw: no luck');
  });
});

describe("branches run at the same time", () => {
  test("in a parallel node", async () => {
    const barrier = createBarrier(3);
    const branches = ["a", "b", "c"].map((id) => sayAfter(id, () => barrier.meet()));

    const state = await graph(logAnnotations).start(say("s")).parallel({ branches }).compile().execute();

    expect(state.log).toEqual(["s", "a", "b", "c"]);
  });

  test("after several unconditional edges", async () => {
    const barrier = createBarrier(2);
    const compiled = compileGraphConfig<LogState>({
      startNode: "s",
      nodes: [say("s"), sayAfter("a", () => barrier.meet()), sayAfter("b", () => barrier.meet())],
      edges: [
        { from: "s", to: "a" },
        { from: "s", to: "b" },
      ],
      stateAnnotations: logAnnotations,
    });

    expect((await compiled.execute()).log).toEqual(["s", "a", "b"]);
  });

  test("in a map", async () => {
    const barrier = createBarrier(3);
    const compiled = graph<LogState>()
      .start(
        mapNode({ id: "map", items: () => [1, 2, 3], node: toolNode({ id: "work", execute: () => barrier.meet() }) }),
      )
      .compile();

    expect((await compiled.execute()).outputs).toEqual({ map: [null, null, null] });
  });

  test("in branches of branches", async () => {
    const barrier = createBarrier(4);
    const pair = (name: string) =>
      graph(logAnnotations)
        .start(say(name))
        .parallel({ branches: [sayAfter(`${name}1`, barrier.meet), sayAfter(`${name}2`, barrier.meet)] })
        .compile();

    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: { left: pair("l"), right: pair("r") }, merge: (results) => ({ total: results.size }) })
      .compile()
      .execute();

    expect(state.total).toBe(3);
  });

  test("with a journal as without", async () => {
    const barrier = createBarrier(2);
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: [sayAfter("a", barrier.meet), sayAfter("b", barrier.meet)] })
      .compile();

    const result = await executeGraph(compiled, { journal: { store: new MemorySaver(), run: "r" } });

    expect(result.state.log).toEqual(["s", "a", "b"]);
  });
});

describe("a branch", () => {
  test("sees the state at the fork and its own updates, never a sibling's", async () => {
    const first = createGate();
    const seen: Record<string, string[]> = {};
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({
        branches: {
          left: [say("l1"), sayAfter("l2", ({ state }) => (seen["l2"] = state.log)), sayAfter("l3", first.open)],
          right: [sayAfter("r1", () => first.opened), sayAfter("r2", ({ state }) => (seen["r2"] = state.log))],
        },
      })
      .then(sayAfter("end", ({ state }) => (seen["end"] = state.log)))
      .compile();

    await compiled.execute();

    expect(seen["l2"]).toEqual(["s", "l1"]);
    expect(seen["r2"]).toEqual(["s", "r1"]);
    expect(seen["end"]).toEqual(["s", "l1", "l2", "l3", "r1", "r2"]);
  });
});

describe("merging", () => {
  const finishing = (order: readonly string[]) => {
    const gates = new Map(order.map((id) => [id, createGate()]));
    const finished: string[] = [];
    const branch = (id: string) =>
      sayAfter(id, async () => {
        const place = order.indexOf(id);
        if (place > 0) await gates.get(order[place - 1] as string)?.opened;
        finished.push(id);
        gates.get(id)?.open();
      });
    return { branch, finished };
  };

  for (const order of [
    ["a", "b", "c"],
    ["c", "b", "a"],
    ["b", "c", "a"],
  ]) {
    test(`folds in declaration order when ${order.join(", ")} is the order of finishing`, async () => {
      const { branch, finished } = finishing(order);
      const ends: string[] = [];

      const state = await graph(logAnnotations)
        .start(say("s"))
        .parallel({ branches: [branch("a"), branch("b"), branch("c")] })
        .then(sayAfter("end", () => ends.push("end")))
        .compile()
        .execute();

      expect(finished).toEqual(order);
      expect(state.log).toEqual(["s", "a", "b", "c", "end"]);
      expect(ends).toEqual(["end"]);
    });
  }

  test("a key without a reducer keeps what the branch declared last wrote", async () => {
    const gate = createGate();
    const write = (id: string, before: () => unknown) =>
      createNode<LogState & { winner: string }>({
        id,
        execute: async () => {
          await before();
          return { stateUpdate: { winner: id } };
        },
      });
    const compiled = graph<LogState & { winner: string }>()
      .start(toolNode({ id: "s", execute: () => 0 }))
      .parallel({ branches: [write("first", () => gate.opened), write("second", gate.open)] })
      .compile();

    expect((await compiled.execute()).winner).toBe("second");
  });

  test("gives the same state with one branch at a time as with all at once", async () => {
    const run = (concurrency: number) =>
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ concurrency, branches: Array.from({ length: 20 }, (_, i) => [say(`a${i}`), say(`b${i}`)]) })
        .compile()
        .execute();

    expect((await run(1)).log).toEqual((await run(20)).log);
  });
});

describe("the limit of a parallel node", () => {
  test("holds back branches beyond it", async () => {
    const meter = createMeter();
    const barrier = createBarrier(2);
    const branches = Array.from({ length: 6 }, (_, i) => sayAfter(`b${i}`, () => meter.inside(barrier.meet)));

    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches, concurrency: 2 })
      .compile()
      .execute();

    expect(meter.most).toBe(2);
    expect(state.log).toEqual(["s", "b0", "b1", "b2", "b3", "b4", "b5"]);
  });

  test("is 16 when none is given", async () => {
    const meter = createMeter();
    const barrier = createBarrier(16);
    const branches = Array.from({ length: 40 }, (_, i) => sayAfter(`b${i}`, () => meter.inside(barrier.meet)));

    await graph(logAnnotations).start(say("s")).parallel({ branches }).compile().execute();

    expect(meter.most).toBe(16);
  });

  test("covers the whole chain of a branch, not only its first node", async () => {
    const meter = createMeter();
    const branches = Array.from({ length: 4 }, (_, i) =>
      ["x", "y", "z"].map((id) => sayAfter(`${id}${i}`, () => meter.inside(async () => undefined))),
    );

    await graph(logAnnotations).start(say("s")).parallel({ branches, concurrency: 1 }).compile().execute();

    expect(meter.most).toBe(1);
  });

  test("lets ten thousand branches that do not wait go one after the other, not inside one another", async () => {
    const count = 10_000;
    const branches = Array.from({ length: count }, (_, i) =>
      createNode<LogState>({ id: `b${i}`, execute: () => ({ stateUpdate: { log: [String(i)] } }) }),
    );
    const compiled = graph(logAnnotations)
      .start(createNode<LogState>({ id: "s", execute: () => undefined }))
      .parallel({ branches, concurrency: 2 })
      .compile({ maxSteps: 0 });

    const state = await compiled.execute();

    expect(state.log.length).toBe(count);
    expect(state.log.at(-1)).toBe(String(count - 1));
  });
});
