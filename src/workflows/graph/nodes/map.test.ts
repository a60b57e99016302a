import { expect, test } from "bun:test";
import type { BaseState, Json } from "atomic/workflows/graph";
import {
  createNode,
  executeGraph,
  graph,
  mapNode,
  MemorySaver,
  parallelNode,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";
import { collect, createGate, createMeter, logAnnotations, say, summary } from "../../../../tests/support/graph-kit.ts";

interface State extends BaseState {
  names: string[];
}

const upper = toolNode<State & { item: Json; itemIndex: number }>({
  id: "upper",
  execute: ({ item, itemIndex }) => `${itemIndex}:${(item as string).toUpperCase()}`,
});

test("mapNode runs its node once per item and keeps the results in the order of the items", async () => {
  const gate = createGate();
  const compiled = graph<State>()
    .start(
      mapNode({
        id: "map",
        items: ({ names }) => names,
        node: toolNode({
          id: "each",
          execute: async ({ item }) => {
            if (item === "a") await gate.opened;
            else gate.open();
            return item;
          },
        }),
      }),
    )
    .compile();

  expect((await compiled.execute({ names: ["a", "b", "c"] })).outputs["map"]).toEqual(["a", "b", "c"]);
});

test("mapNode without items gives an empty list", async () => {
  const compiled = graph<State>()
    .start(mapNode({ id: "map", items: ({ names }) => names, node: upper }))
    .compile();

  expect((await compiled.execute({ names: [] })).outputs).toEqual({ map: [] });
});

test("mapNode hands the results to its mapper", async () => {
  const compiled = graph<State>()
    .start(
      mapNode("map", {
        items: ({ names }) => names,
        node: upper,
        outputMapper: (results, state) => ({ names: [...state.names, ...(results as string[])] }),
      }),
    )
    .compile();

  expect((await compiled.execute({ names: ["a"] })).names).toEqual(["a", "0:A"]);
});

test("mapNode collects what `collect` returns for each item", async () => {
  const compiled = graph<State>()
    .start(
      mapNode({
        id: "map",
        items: ({ names }) => names,
        node: createNode({
          id: "each",
          execute: ({ state }) => ({ stateUpdate: { names: [`${state.names.length}`] } }),
        }),
        collect: ({ names }) => names,
      }),
    )
    .compile();

  expect((await compiled.execute({ names: ["a", "b"] })).outputs["map"]).toEqual([["2"], ["2"]]);
});

test("mapNode runs at most its limit at a time, 16 by default", async () => {
  const widths: number[] = [];
  for (const concurrency of [3, undefined]) {
    const meter = createMeter();
    const compiled = graph<State>()
      .start(
        mapNode({
          id: "map",
          items: () => Array.from({ length: 40 }, (_, i) => i),
          concurrency,
          node: toolNode({ id: "each", execute: () => meter.inside(() => Promise.resolve()) }),
        }),
      )
      .compile();
    await compiled.execute();
    widths.push(meter.most);
  }

  expect(widths).toEqual([3, 16]);
});

test("mapNode can run a whole graph for each item", async () => {
  const inner = graph(logAnnotations).start(say("x")).then(say("y")).compile();
  const compiled = graph<State>()
    .start(
      mapNode({
        id: "map",
        items: () => [1, 2],
        node: subgraphNode({
          id: "each",
          subgraph: inner,
          inputMapper: () => ({}),
          outputMapper: ({ log }) => ({ outputs: { each: log } }),
        }),
      }),
    )
    .compile();

  expect((await compiled.execute()).outputs["map"]).toEqual([
    ["x", "y"],
    ["x", "y"],
  ]);
});

test("mapNode fails when an item fails, and says which node", async () => {
  const compiled = graph<State>()
    .start(
      mapNode({
        id: "map",
        items: () => [1, 2, 3],
        node: toolNode({
          id: "each",
          execute: ({ item }) => {
            if (item === 2) throw new Error("two is broken");
          },
        }),
      }),
    )
    .compile();

  await expect(compiled.execute()).rejects.toThrow(/Node "map" failed: Node "each" failed: two is broken/);
});

test("mapNode starts no further item once one has failed", async () => {
  const started: Json[] = [];
  const compiled = graph<State>()
    .start(
      mapNode({
        id: "map",
        items: () => [1, 2, 3, 4, 5, 6],
        concurrency: 1,
        node: toolNode({
          id: "each",
          execute: ({ item }) => {
            started.push(item);
            if (item === 2) throw new Error("broken");
          },
        }),
      }),
    )
    .compile();

  await expect(compiled.execute()).rejects.toThrow("broken");
  expect(started).toEqual([1, 2]);
});

test("mapNode redoes only the items that were not finished", async () => {
  const store = new MemorySaver();
  const ran: Json[] = [];
  const compiled = graph<State>()
    .start(
      mapNode({
        id: "map",
        items: () => ["a", "b", "ask"],
        node: createNode({
          id: "each",
          execute: async ({ state, ask, node }) => {
            ran.push(state.item);
            const value = state.item === "ask" ? await ask("which?") : state.item;
            return { stateUpdate: { outputs: { [node]: value } } };
          },
        }),
      }),
    )
    .compile();
  await executeGraph(compiled, { journal: { store, run: "r" } });
  const { state } = await executeGraph(compiled, {
    journal: { store, run: "r", resume: true },
    answers: { "which?": "c" },
  });

  expect(state.outputs["map"]).toEqual(["a", "b", "c"]);
  expect(ran).toEqual(["a", "b", "ask", "ask"]);
});

test("mapNode gives each item a separate key", async () => {
  const store = new MemorySaver();
  const compiled = graph<State>()
    .start(mapNode({ id: "map", items: () => ["a", "b"], node: upper }))
    .compile();
  await executeGraph(compiled, { journal: { store, run: "r" } });
  const keys = summary(await collect(store.read("r"))).filter((event) => event.startsWith("node.finished"));

  expect(new Set(keys).size).toBe(3);
});

test("mapNode refuses wrong use, naming itself", async () => {
  expect(() => mapNode<State>({ id: "map", items: () => [], node: upper, concurrency: 0 })).toThrow(
    'mapNode "map": concurrency must be a whole number of at least 1.',
  );
  expect(() => mapNode({ id: "map", node: upper } as never)).toThrow('mapNode "map": ');
  expect(() => mapNode({ id: "map", items: () => [] } as never)).toThrow('mapNode "map": ');
  const compiled = graph<State>()
    .start(mapNode({ id: "map", items: () => "abc" as never, node: upper }))
    .compile();
  await expect(compiled.execute()).rejects.toThrow('mapNode "map": `items` must return a list.');
});

test("mapNode waits for answers in its items while the others continue", async () => {
  const compiled = graph<State>()
    .start(
      mapNode({
        id: "map",
        items: () => ["x"],
        node: waitNode({ id: "ask", prompt: ({ item }) => `${item as string}?` }),
      }),
    )
    .compile();
  const { status, questions } = await executeGraph(compiled);

  expect(status).toBe("paused");
  expect(questions.map(({ text }) => text)).toEqual(["x?"]);
});

test("mapNode refuses an item's update that would be lost, and names what to do", async () => {
  const counted = createNode<State & { item: Json; itemIndex: number }>({
    id: "count",
    retry: { maxAttempts: 3, backoffMs: 0 },
    execute: ({ state }) => ({ stateUpdate: { names: [state.item as string], outputs: { count: 1 } } }),
  });
  const run = (node: typeof counted) =>
    executeGraph(
      graph<State>()
        .start(mapNode({ id: "map", items: () => ["a", "b"], node }))
        .compile(),
      { journal: { store: new MemorySaver(), run: "r" } },
    );
  const skipped = createNode<State & { item: Json; itemIndex: number }>({
    id: "count",
    execute: () => Promise.reject(new Error("broken")),
    onError: () => ({ action: "skip", stateUpdate: { names: ["x"] } }),
  });
  const inBranches = parallelNode<State & { item: Json; itemIndex: number }>({
    id: "both",
    branches: [toolNode({ id: "left", execute: () => 1 }), toolNode({ id: "right", execute: () => 2 })],
  });

  const { status, error } = await run(counted);
  expect(status).toBe("failed");
  expect(error).toMatchObject({ code: "BUILDER_MISUSE" });
  expect(error?.message).toContain('Node "count" changes "names" for one item of mapNode "map"');
  expect(error?.message).toContain("`collect`");
  expect((await run(skipped)).error?.message).toContain('changes "names"');
  expect((await run(inBranches)).error?.message).toContain('"outputs.left"');
});

test("mapNode passes what items change to its own collect", async () => {
  const compiled = graph<State>()
    .start(
      mapNode({
        id: "map",
        items: ({ names }) => names,
        node: createNode({
          id: "each",
          execute: ({ state }) => ({ stateUpdate: { names: [`${state.item as string}!`] } }),
        }),
        collect: ({ names }) => names[0] ?? null,
        outputMapper: (results) => ({ names: results as string[] }),
      }),
    )
    .compile();

  expect((await compiled.execute({ names: ["a", "b"] })).names).toEqual(["a!", "b!"]);
});
