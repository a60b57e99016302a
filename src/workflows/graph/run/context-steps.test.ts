import { describe, expect, test } from "bun:test";
import type { JournalStore, Json } from "atomic/workflows/graph";
import { createNode, executeGraph, graph, MemorySaver } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, logAnnotations, say } from "../../../../tests/support/graph-kit.ts";

describe("ctx.step", () => {
  test("gives what the body gives, and runs it once over a pause", async () => {
    const store = new MemorySaver();
    let runs = 0;
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ step, ask }) => {
        const value = await step("part", async () => ({ n: ++runs }));
        await ask("?");
        return { stateUpdate: { total: value.n } };
      },
    });
    const compiled = graph(logAnnotations).start(node).compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    const { state } = await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(runs).toBe(1);
    expect(state.total).toBe(1);
  });

  test("is durable when it resolves, as a note is", async () => {
    const store = new MemorySaver();
    const stored: string[][] = [];
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ step, attempt }) => {
        await step("part", () => 1);
        stored.push((await collect(store.read("r"))).map(({ type }) => type));
        await attempt.note("here");
        stored.push((await collect(store.read("r"))).map(({ type }) => type));
      },
    });
    await executeGraph(graph(logAnnotations).start(node).compile(), { journal: { store, run: "r" } });

    expect(stored[0]?.at(-1)).toBe("step.finished");
    expect(stored[1]?.at(-1)).toBe("attempt.noted");
  });

  test("shares its write with those that end at the same time", async () => {
    const store = new MemorySaver();
    const writes: string[][] = [];
    const counting: Pick<JournalStore, "open" | "remove"> = {
      open: async (run, options) => {
        const handle = await store.open(run, options);
        const append = handle.append.bind(handle);
        handle.append = (events) => {
          writes.push(events.map(({ type }) => type).filter((type) => type === "step.finished"));
          return append(events);
        };
        return handle;
      },
      remove: (run) => store.remove(run),
    };
    let storedAtEnd: number[] = [];
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ step }) => {
        storedAtEnd = await Promise.all(
          Array.from({ length: 8 }, async (_, i) => {
            await step(`part ${i}`, () => i);
            return (await collect(store.read("r"))).filter(({ type }) => type === "step.finished").length;
          }),
        );
      },
    });
    await executeGraph(graph(logAnnotations).start(node).compile(), { journal: { store: counting, run: "r" } });

    expect(writes.filter((types) => types.length > 0)).toEqual([Array.from({ length: 8 }, () => "step.finished")]);
    expect(storedAtEnd).toEqual(Array.from({ length: 8 }, () => 8));
  });

  test("rejects together with those that share its write when it can't be stored", async () => {
    const store = new MemorySaver();
    const failing: Pick<JournalStore, "open" | "remove"> = {
      open: async (run, options) => {
        const handle = await store.open(run, options);
        const append = handle.append.bind(handle);
        handle.append = (events) => {
          if (events.some(({ type }) => type === "step.finished")) throw new Error("the disk is full");
          return append(events);
        };
        return handle;
      },
      remove: (run) => store.remove(run),
    };
    let outcomes: string[] = [];
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ step }) => {
        const settled = await Promise.allSettled([step("one", () => 1), step("two", () => 2)]);
        outcomes = settled.map(({ status }) => status);
      },
    });
    const running = executeGraph(graph(logAnnotations).start(node).compile(), {
      journal: { store: failing, run: "r" },
    });

    await expect(running).rejects.toThrow("the disk is full");
    expect(outcomes).toEqual(["rejected", "rejected"]);
  });

  test("is not repeated by another attempt of the node either", async () => {
    let runs = 0;
    const node = createNode<LogState>({
      id: "a",
      retry: { maxAttempts: 3, backoffMs: 0 },
      execute: async ({ step, attempt }) => {
        await step("part", () => void runs++);
        if (attempt.number < 3) throw new Error("again");
      },
    });
    const { status } = await executeGraph(graph(logAnnotations).start(node).compile());

    expect(status).toBe("completed");
    expect(runs).toBe(1);
  });

  test("whose body throws is tried again with the node", async () => {
    let runs = 0;
    const node = createNode<LogState>({
      id: "a",
      retry: { maxAttempts: 3, backoffMs: 0 },
      execute: async ({ step }) => {
        await step("part", () => {
          if (++runs < 3) throw new Error("again");
        });
      },
    });
    await executeGraph(graph(logAnnotations).start(node).compile());

    expect(runs).toBe(3);
  });

  test("distinguishes uses of the same name by their order", async () => {
    const store = new MemorySaver();
    const values: Json[] = [];
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ step, ask }) => {
        for (const n of [1, 2, 3]) values.push(await step("part", () => n * 10));
        await ask("?");
      },
    });
    const compiled = graph(logAnnotations).start(node).compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(values).toEqual([10, 20, 30, 10, 20, 30]);
    expect((await collect(store.read("r"))).filter(({ type }) => type === "step.finished")).toHaveLength(3);
  });

  test("in each visit of a loop is a separate part", async () => {
    let runs = 0;
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ step }) => ({ stateUpdate: { total: await step("part", () => ++runs) } }),
    });
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .loop(node, { until: ({ total }) => total > 5 })
      .compile();
    const state = await compiled.execute();

    expect(runs).toBe(3);
    expect(state.total).toBe(7);
  });

  test("may run at the same time as others", async () => {
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ step }) => ({
        stateUpdate: { log: await Promise.all(["x", "y", "z"].map((name) => step(name, async () => name))) },
      }),
    });

    expect((await graph(logAnnotations).start(node).compile().execute()).log).toEqual(["x", "y", "z"]);
  });
});

describe("ctx.attempt", () => {
  test("passes on the notes of earlier attempts, durably", async () => {
    const store = new MemorySaver();
    const left: Json[][] = [];
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ attempt, ask }) => {
        left.push([...attempt.previousNotes]);
        await attempt.note({ session: `s${attempt.number}` });
        await ask("?");
      },
    });
    const compiled = graph(logAnnotations).start(node).compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    await executeGraph(compiled, { journal: { store, run: "r", resume: true } });
    await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(left).toEqual([[], [{ session: "s1" }], [{ session: "s1" }, { session: "s2" }]]);
  });

  test("counts an attempt that was interrupted", async () => {
    const store = new MemorySaver();
    const numbers: number[] = [];
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ attempt, ask }) => {
        numbers.push(attempt.number);
        await ask("?");
      },
    });
    const compiled = graph(logAnnotations).start(node).compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(numbers).toEqual([1, 2]);
  });
});
