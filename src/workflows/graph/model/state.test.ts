import { describe, expect, test } from "bun:test";
import { createFakeClock } from "atomic/testing";
import {
  annotation,
  AtomicStateAnnotation,
  createNode,
  executeGraph,
  graph,
  Reducers,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";
import { logAnnotations, say, sayAfter } from "../../../../tests/support/graph-kit.ts";

describe("Reducers", () => {
  test("replace takes the update", () => {
    expect(Reducers.replace(1, 2)).toBe(2);
    expect(Reducers.replace<number | null>(1, null)).toBeNull();
  });

  test("concat appends, and changes neither list", () => {
    const current = Object.freeze([1, 2]);
    const update = Object.freeze([3]);

    expect(Reducers.concat(current, update)).toEqual([1, 2, 3]);
    expect(Reducers.concat([[1]], [[2]])).toEqual([[1], [2]]);
  });

  test("merge overwrites key by key, one level deep", () => {
    const current: { a: number; b: { x?: number; y?: number } } = { a: 1, b: { x: 1 } };

    expect(Reducers.merge(current, { b: { y: 2 } })).toEqual({ a: 1, b: { y: 2 } });
    expect(current).toEqual({ a: 1, b: { x: 1 } });
  });

  test("mergeById merges items of the same id where they stand, and appends the others", () => {
    const current = [
      { id: "a", title: "one", done: false },
      { id: "b", title: "two", done: false },
    ];
    const update = [
      { id: "c", title: "three", done: false },
      { id: "a", title: "one", done: true },
      { id: "c", title: "3", done: true },
    ];

    expect(Reducers.mergeById(current, update)).toEqual([
      { id: "a", title: "one", done: true },
      { id: "b", title: "two", done: false },
      { id: "c", title: "3", done: true },
    ]);
    expect(current[0]?.done).toBe(false);
  });

  test('mergeById distinguishes the id 1 from the id "1"', () => {
    const items: { id: string | number }[] = [{ id: 1 }];

    expect(Reducers.mergeById(items, [{ id: "1" }])).toHaveLength(2);
  });

  test("max and min keep the extreme", () => {
    expect([Reducers.max(1, 3), Reducers.max(3, 1), Reducers.min(1, 3), Reducers.min(3, 1)]).toEqual([3, 3, 1, 1]);
  });

  test("sum adds", () => {
    expect(Reducers.sum(1, 2)).toBe(3);
    expect(Reducers.sum(1, -2)).toBe(-1);
  });

  test("or and and combine truths", () => {
    const pairs = [
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ] as const;

    expect(pairs.map(([a, b]) => Reducers.or(a, b))).toEqual([false, true, true, true]);
    expect(pairs.map(([a, b]) => Reducers.and(a, b))).toEqual([false, false, false, true]);
  });

  test("ifDefined keeps what is there when the update is null or undefined", () => {
    expect(Reducers.ifDefined("a", null)).toBe("a");
    expect(Reducers.ifDefined("a", undefined)).toBe("a");
    expect(Reducers.ifDefined("a", "")).toBe("");
    expect(Reducers.ifDefined<string | null>(null, "b")).toBe("b");
  });

  test("are ten, by these names", () => {
    expect(Object.keys(Reducers).toSorted()).toEqual([
      "and",
      "concat",
      "ifDefined",
      "max",
      "merge",
      "mergeById",
      "min",
      "or",
      "replace",
      "sum",
    ]);
  });
});

describe("annotations", () => {
  const all = {
    replaced: annotation("old"),
    joined: annotation<string[]>(["0"], Reducers.concat),
    merged: annotation<Record<string, number>>({ a: 1 }, Reducers.merge),
    byId: annotation<{ id: string; n: number }[]>([{ id: "x", n: 1 }], Reducers.mergeById),
    most: annotation(5, Reducers.max),
    least: annotation(5, Reducers.min),
    added: annotation(10, Reducers.sum),
    some: annotation(false, Reducers.or),
    every: annotation(true, Reducers.and),
    kept: annotation<string | null>("kept", Reducers.ifDefined),
    own: annotation("a", (current, update) => `${current}${update}`),
  };
  const update = {
    replaced: "new",
    joined: ["1"],
    merged: { b: 2 },
    byId: [
      { id: "x", n: 2 },
      { id: "y", n: 3 },
    ],
    most: 9,
    least: 7,
    added: 1,
    some: true,
    every: false,
    kept: null,
    own: "b",
  };
  const expected = {
    replaced: "new",
    joined: ["0", "1"],
    merged: { a: 1, b: 2 },
    byId: [
      { id: "x", n: 2 },
      { id: "y", n: 3 },
    ],
    most: 9,
    least: 5,
    added: 11,
    some: true,
    every: false,
    kept: "kept",
    own: "ab",
  };
  const updating = (id: string) => createNode({ id, execute: () => ({ stateUpdate: update }) });

  test("give each key its default and fold each update with its reducer", async () => {
    expect(await graph(all).start(updating("a")).compile().execute()).toMatchObject(expected);
  });

  test("fold the updates of a branch the same way", async () => {
    const state = await graph(all)
      .start(toolNode({ id: "s", execute: () => 0 }))
      .parallel({ branches: [updating("a")] })
      .compile()
      .execute();

    expect(state).toMatchObject(expected);
  });

  test("fold two branches, each with two nodes, as if one after the other", async () => {
    const inBranches = await graph(all)
      .start(toolNode({ id: "s", execute: () => 0 }))
      .parallel({
        branches: [
          [updating("a"), updating("b")],
          [updating("c"), updating("d")],
        ],
      })
      .compile()
      .execute();
    const inLine = await graph(all)
      .start(toolNode({ id: "s", execute: () => 0 }))
      .then(updating("a"))
      .then(updating("b"))
      .then(updating("c"))
      .then(updating("d"))
      .compile()
      .execute();

    const { lastUpdated: _branches, executionId: _one, ...parallel } = inBranches;
    const { lastUpdated: _line, executionId: _two, ...serial } = inLine;
    expect(parallel).toEqual(serial);
    expect(parallel.added).toBe(14);
    expect(parallel.own).toBe("abbbb");
  });

  test("with a default made by a function give each run its own", async () => {
    let made = 0;
    const compiled = graph({ list: annotation(() => [++made], Reducers.concat) })
      .start(createNode({ id: "a", execute: () => ({ stateUpdate: { list: [0] } }) }))
      .compile();
    const [first, second] = [await compiled.execute(), await compiled.execute()];

    expect(first.list[0]).not.toBe(second.list[0] as number);
    expect(first.list).toHaveLength(2);
  });

  test("never change the default they were given", async () => {
    const list: string[] = [];
    const compiled = graph({ list: annotation(list, Reducers.concat) })
      .start(createNode({ id: "a", execute: () => ({ stateUpdate: { list: ["x"] } }) }))
      .compile();

    expect((await compiled.execute()).list).toEqual(["x"]);
    expect((await compiled.execute()).list).toEqual(["x"]);
    expect(list).toEqual([]);
  });

  test("yield to what the run is started with", async () => {
    const compiled = graph(all)
      .start(toolNode({ id: "a", execute: () => 0 }))
      .compile();

    expect(await compiled.execute({ most: 1, joined: [] })).toMatchObject({ most: 1, joined: [], least: 5 });
  });

  test("of AtomicStateAnnotation are the base state's own", async () => {
    const compiled = graph({ ...AtomicStateAnnotation, extra: annotation(1) })
      .start(toolNode({ id: "a", execute: () => 1 }))
      .then(toolNode({ id: "b", execute: () => 2 }))
      .compile();
    const state = await compiled.execute();

    expect(state.outputs).toEqual({ a: 1, b: 2 });
    expect(state.executionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(state.lastUpdated).toMatch(/^\d{4}-.*Z$/);
  });

  test("can give outputs another reducer", async () => {
    const compiled = graph({ outputs: annotation<Record<string, unknown>>({}, Reducers.replace) })
      .start(toolNode({ id: "a", execute: () => 1 }))
      .then(toolNode({ id: "b", execute: () => 2 }))
      .compile();

    expect((await compiled.execute()).outputs).toEqual({ b: 2 });
  });

  test("whose reducer throws fail the run, naming the key and the reason", async () => {
    const broken = annotation("", (): string => {
      throw new Error("no way");
    });
    const compiled = graph({ broken })
      .start(createNode({ id: "a", execute: () => ({ stateUpdate: { broken: "x" } }) }))
      .compile();

    await expect(compiled.execute()).rejects.toThrow(/reducer of state key "broken" threw: .*no way/);
  });
});

describe("the base state", () => {
  test("keeps the id it is given, else the run's, else a new one", async () => {
    const compiled = graph()
      .start(toolNode({ id: "a", execute: () => 0 }))
      .compile();
    const ids = { next: () => "made-up" };

    expect((await executeGraph(compiled, { initialState: { executionId: "mine" } })).state.executionId).toBe("mine");
    expect((await executeGraph(compiled, { runtime: { ids } })).state.executionId).toBe("made-up");
  });

  test("gets lastUpdated from the engine's clock, with each update", async () => {
    const clock = createFakeClock(Date.UTC(2030, 0, 1));
    const times: (string | undefined)[] = [];
    const tick = (id: string) =>
      sayAfter(id, async ({ state }) => {
        times.push(state.lastUpdated);
        await clock.advance(60_000);
      });

    const { state } = await executeGraph(graph(logAnnotations).start(tick("a")).then(tick("b")).compile(), {
      runtime: { clock },
    });

    expect(times).toEqual(["2030-01-01T00:00:00.000Z", "2030-01-01T00:01:00.000Z"]);
    expect(state.lastUpdated).toBe("2030-01-01T00:02:00.000Z");
  });

  test("gets the time of the newest update of its branches", async () => {
    const clock = createFakeClock(Date.UTC(2030, 0, 1));
    const { state } = await executeGraph(
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ concurrency: 1, branches: [say("a"), sayAfter("b", () => clock.advance(5000))] })
        .compile(),
      { runtime: { clock } },
    );

    expect(state.lastUpdated).toBe("2030-01-01T00:00:05.000Z");
  });

  test("collects results by node id where no mapper says otherwise", async () => {
    const state = await graph()
      .start(toolNode({ id: "text", execute: () => "t" }))
      .then(toolNode({ id: "nothing", execute: () => undefined }))
      .then(toolNode({ id: "later", execute: async () => ({ n: 1 }) }))
      .then(toolNode({ id: "mapped", execute: () => 5, outputMapper: (n) => ({ outputs: { elsewhere: n } }) }))
      .compile()
      .execute();

    expect(state.outputs).toEqual({ text: "t", nothing: null, later: { n: 1 }, elsewhere: 5 });
  });

  test("keeps answers of waits by node id too", async () => {
    const { state } = await executeGraph(
      graph()
        .start(waitNode({ id: "ask", prompt: "colour?" }))
        .compile(),
      {
        answers: { "colour?": "red" },
      },
    );

    expect(state.outputs).toEqual({ ask: "red" });
  });
});
