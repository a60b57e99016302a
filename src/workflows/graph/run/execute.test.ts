import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalStore, StoredEvent } from "atomic/workflows";
import { FileSaver, ResearchDirSaver } from "atomic/workflows";
import {
  CompiledGraph,
  compileGraphConfig,
  createNode,
  createRuntime,
  executeGraph,
  graph,
  MemorySaver,
  systemClock,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, fail, logAnnotations, say, summary } from "../../../../tests/support/graph-kit.ts";

const chain = graph(logAnnotations).start(say("a")).then(say("b")).compile({ name: "chain" });

describe("compiled.execute and compiled.run", () => {
  test("run to the end and give the last state", async () => {
    expect((await chain.execute({ total: 5 })).total).toBe(7);
    expect((await chain.run({ total: 5 })).log).toEqual(["a", "b"]);
    expect((await chain.execute()).total).toBe(2);
  });

  test("can run the same graph at the same time, each run for itself", async () => {
    const states = await Promise.all([1, 2, 3].map((total) => chain.execute({ total })));

    expect(states.map(({ total }) => total)).toEqual([3, 4, 5]);
    expect(new Set(states.map(({ executionId }) => executionId)).size).toBe(3);
  });

  test("throw what made the run fail", async () => {
    const compiled = graph(logAnnotations).start(fail("bad", "broken")).compile();

    await expect(compiled.execute()).rejects.toMatchObject({ code: "NODE_FAILED", details: { node: "bad" } });
  });

  test("throw when a user would have to answer, and say what to use instead", async () => {
    const compiled = graph()
      .start(waitNode({ id: "ask", prompt: "who?" }))
      .compile();

    await expect(compiled.execute()).rejects.toThrow(/paused, it waits for an answer to "who\?"\. Use executeGraph/);
  });

  test("take a runtime", async () => {
    const compiled = graph()
      .start(toolNode({ id: "a", execute: (_, { runtime }) => runtime.ids.next() }))
      .compile();
    const state = await compiled.execute({}, createRuntime({ ids: { next: () => "my-id" } }));

    expect(state.outputs).toEqual({ a: "my-id" });
    expect(state.executionId).toBe("my-id");
  });

  test("know a compiled graph when they see one, whichever copy of the package made it", () => {
    expect(CompiledGraph.is(chain)).toBe(true);
    expect(CompiledGraph.is({ execute: () => {} })).toBe(false);
    expect(CompiledGraph.is(null)).toBe(false);
  });
});

describe("checkpointing", () => {
  const build = (checkpointDir: string | ((state: Readonly<LogState>) => string)) =>
    graph(logAnnotations).start(say("a")).then(say("b")).compile({ checkpointing: true, checkpointDir });

  test("records runs in the folder it is given", async () => {
    await using folder = temporary();
    await build(folder.path).execute();
    const store = new ResearchDirSaver({ dir: folder.path });
    const [run, ...others] = (await store.list()).runs;

    expect(others).toEqual([]);
    const events = await collect(store.read(run?.run as string));
    expect(summary(events)).toContain("node.finished b#1");
    expect(events.at(-1)).toMatchObject({ type: "run.finished", outcome: "completed" });
  });

  test("takes a folder that depends on the first state", async () => {
    await using folder = temporary();
    await build(({ total }) => join(folder.path, `t${total}`)).execute({ total: 7 });

    expect(readdirSync(folder.path)).toEqual(["t7"]);
  });

  test("is off unless asked for", async () => {
    await using folder = temporary();
    await graph(logAnnotations).start(say("a")).compile({ checkpointDir: folder.path }).execute();

    expect(readdirSync(folder.path)).toEqual([]);
  });

  test("without a place to write says what to do", async () => {
    await expect(build("x").execute({}, createRuntime())).rejects.toMatchObject({ code: "RUNTIME_MISSING" });
  });
});

describe("executeGraph", () => {
  test("reports how a run ended and how many steps it took", async () => {
    const result = await executeGraph(chain);

    expect(result).toMatchObject({ status: "completed", steps: 2, questions: [] });
    expect([result.error, result.reason]).toEqual([undefined, undefined]);
  });

  test("hands every event over in order, with a journal as without", async () => {
    const heard: StoredEvent[] = [];
    const unheard: StoredEvent[] = [];
    const store = new MemorySaver();
    await executeGraph(chain, { onEvent: (event) => unheard.push(event) });
    await executeGraph(chain, { onEvent: (event) => heard.push(event), journal: { store, run: "r" } });

    expect(heard.map(({ seq }) => seq)).toEqual(heard.map((_, i) => i + 1));
    expect(await collect(store.read("r"))).toEqual(heard);
    expect(summary(unheard)).toEqual(summary(heard));
    expect(summary(heard)).toEqual([
      "run.started",
      "node.started a#1",
      "node.finished a#1",
      "node.started b#1",
      "node.finished b#1",
      "run.finished",
    ]);
  });

  test("stamps every event with the run's own clock, which never goes back", async () => {
    let now = 1_000_000;
    const clock = { ...systemClock, now: () => (now -= 5) };
    for (const journal of [undefined, { store: new MemorySaver(), run: "r" }]) {
      const times: number[] = [];
      await executeGraph(chain, { runtime: { clock }, journal, onEvent: ({ at }) => times.push(at) });

      expect(times.length).toBeGreaterThan(5);
      expect(new Set(times).size).toBe(1);
      expect(times[0]).toBeLessThan(1_000_000);
      expect(times[0]).toBeGreaterThan(900_000);
    }
  });

  test("fails loudly when requests from other processes can't be read", async () => {
    const store = new MemorySaver();
    const open = store.open.bind(store);
    store.open = async (...given) => {
      const handle = await open(...given);
      // A store that loses its folder during the run.
      handle.requests = () => failingRequests();
      return handle;
    };
    const hang = createNode<LogState>({
      id: "hang",
      execute: ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    });
    const running = executeGraph(graph(logAnnotations).start(hang).compile(), { journal: { store, run: "r" } });

    await expect(running).rejects.toThrow("the folder is gone");
  });

  test("names the workflow, its first state and its shape when it starts", async () => {
    const events: StoredEvent[] = [];
    await executeGraph(chain, {
      onEvent: (event) => events.push(event),
      initialState: { total: 3 },
      startedWith: { agent: "scripted" },
      endsWith: () => ({ cost: 1 }),
    });

    expect(events[0]).toMatchObject({
      type: "run.started",
      workflow: "chain",
      resumed: false,
      agent: "scripted",
      state: { total: 3, log: [] },
      shape: { nodes: ["tool a", "tool b"], edges: ["a -> b"], keys: ["log", "total"], start: "a" },
    });
    expect(events.at(-1)).toMatchObject({ type: "run.finished", outcome: "completed", cost: 1 });
  });

  test("refuses anything but a compiled graph, before it leaves a run behind", async () => {
    const store = new MemorySaver();
    for (const wrong of [undefined, {}, graph(logAnnotations).start(say("a"))]) {
      const running = executeGraph(wrong as CompiledGraph<LogState>, { journal: { store, run: "r" } });
      await expect(running).rejects.toThrow("executeGraph: needs a compiled graph; call compile() on a builder first.");
    }

    expect(await store.list()).toEqual({ runs: [], next: undefined });
  });

  test("leaves nothing behind of a run whose first state is refused", async () => {
    await using folder = temporary();
    for (const store of [new MemorySaver(), new FileSaver({ dir: folder.path })]) {
      const start = (total: number) =>
        executeGraph(chain, { initialState: { total }, journal: { store, run: testRun } });
      await expect(start(Number.NaN)).rejects.toMatchObject({ code: "NOT_JSON" });
      expect(await store.list()).toEqual({ runs: [], next: undefined });

      expect((await start(1)).state.total).toBe(3);
    }
  });

  test("refuses to start a run twice, and to resume one that is not there", async () => {
    const store = new MemorySaver();
    const journal = (resume: boolean) => ({ journal: { store, run: "r", resume } });

    await expect(executeGraph(chain, journal(true))).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    await executeGraph(chain, journal(false));
    await expect(executeGraph(chain, journal(false))).rejects.toMatchObject({ code: "RUN_EXISTS" });
  });

  test("lets only one process have a run", async () => {
    const store = new MemorySaver();
    const compiled = graph(logAnnotations)
      .start(waitNode({ id: "ask", prompt: "?" }))
      .compile();
    const stop = new AbortController();
    const first = executeGraph(compiled, { journal: { store, run: "r" }, questions: "stay", signal: stop.signal });
    await poll(async () => (await store.info("r").catch(() => undefined))?.owner === "alive");

    await expect(executeGraph(compiled, { journal: { store, run: "r", resume: true } })).rejects.toMatchObject({
      code: "RUN_OWNED",
    });
    stop.abort();
    expect((await first).status).toBe("paused");
  });

  test("gives the run up even when it fails", async () => {
    const store = new MemorySaver();
    await executeGraph(graph(logAnnotations).start(fail("bad", "broken")).compile(), { journal: { store, run: "r" } });

    expect((await store.info("r")).owner).toBe("none");
  });

  test("stops loudly when the journal can't be written, and keeps what it had", async () => {
    await using folder = temporary();
    const store = new FileSaver({ dir: folder.path });
    let writes = 0;
    const failing: JournalStore = Object.create(store, {
      open: {
        value: async (...given: Parameters<JournalStore["open"]>) => {
          const handle = await store.open(...given);
          const append = handle.append.bind(handle);
          handle.append = (events) => {
            if (++writes > 2) throw new Error("disk full");
            return append(events);
          };
          return handle;
        },
      },
    }) as JournalStore;
    const ran: string[] = [];
    const note = (id: string) => toolNode<LogState>({ id, execute: () => void ran.push(id) });
    const compiled = graph(logAnnotations).start(note("a")).then(note("b")).then(note("c")).compile();

    await expect(executeGraph(compiled, { journal: { store: failing, run: testRun } })).rejects.toThrow("disk full");
    expect(ran.length).toBeLessThan(3);
    const { status } = await executeGraph(compiled, { journal: { store, run: testRun, resume: true } });
    expect(status).toBe("completed");
  });

  test("compiles a config the same way the builder does", async () => {
    const config = compileGraphConfig<LogState>({
      startNode: "a",
      nodes: [say("a"), say("b")],
      edges: [{ from: "a", to: "b" }],
      stateAnnotations: logAnnotations,
    });

    expect((await executeGraph(config)).state.log).toEqual((await executeGraph(chain)).state.log);
  });

  test("waits for no timer in a short run, however slow the machine is", async () => {
    let now = 0;
    const clock = { ...systemClock, now: () => (now += 1000) };
    const compiled = graph(logAnnotations).start(say("a")).then(say("b")).compile();
    // The first run loads the engine.
    await executeGraph(compiled);
    let hasTurned = false;
    const timer = setTimeout(() => (hasTurned = true), 0);
    await executeGraph(compiled, { runtime: { clock } });
    clearTimeout(timer);

    expect(hasTurned).toBe(false);
  });

  test("lets timers and signals be heard in a long loop that never waits", async () => {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), 20);
    const busy = createNode<LogState>({ id: "busy", execute: () => ({ stateUpdate: { total: 1 } }) });
    const compiled = graph(logAnnotations)
      .start(busy)
      .loop(say("again"), { until: () => false, maxIterations: 0 })
      .compile({ maxSteps: 0 });
    const { status } = await executeGraph(compiled, { signal: stop.signal });
    clearTimeout(timer);

    expect(status).toBe("paused");
  });
});

function failingRequests(): AsyncIterable<never> {
  return {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("the folder is gone")) }),
  };
}

const testRun = "0b9e1a54-6c3f-4d8a-9f5e-2f6f4d1c7a10";

function temporary(): AsyncDisposable & { path: string } {
  const path = mkdtempSync(join(tmpdir(), "atomic-execute-"));
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }) };
}

async function poll(isThere: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1000; i++) {
    if (await isThere()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error("it did not come");
}
