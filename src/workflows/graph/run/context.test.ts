import { describe, expect, test } from "bun:test";
import { createFakeClock } from "atomic/testing";
import type { Runtime } from "atomic/workflows/graph";
import {
  createNode,
  createRuntime,
  executeGraph,
  graph,
  MemorySaver,
  systemClock,
  waitNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, logAnnotations, say, sayAfter } from "../../../../tests/support/graph-kit.ts";

describe("ctx.emit and ctx.progress", () => {
  const talk = createNode<LogState>({
    id: "talk",
    execute: ({ emit, progress }) => {
      emit("page.read", { page: 1 });
      emit("mood", "good");
      progress("token", "Hel");
    },
  });

  test("emit stores an event with the node and its key; progress only shows one", async () => {
    const store = new MemorySaver();
    const shown: unknown[] = [];
    await executeGraph(graph(logAnnotations).start(talk).compile(), {
      journal: { store, run: "r" },
      onProgress: (event) => shown.push(event),
    });
    const own = (await collect(store.read("r"))).filter(({ type }) => type === "custom");

    expect(own).toMatchObject([
      { name: "page.read", node: "talk", key: "talk#1", data: { page: 1 } },
      { name: "mood", node: "talk", key: "talk#1", data: "good" },
    ]);
    expect(shown).toEqual([{ type: "token", node: "talk", key: "talk#1", data: "Hel" }]);
    expect(JSON.stringify(await collect(store.read("r")))).not.toContain("Hel");
  });

  test("emit is stored before the node's own end", async () => {
    const store = new MemorySaver();
    await executeGraph(graph(logAnnotations).start(talk).compile(), { journal: { store, run: "r" } });
    const types = (await collect(store.read("r"))).map(({ type }) => type);

    expect(types.indexOf("custom")).toBeGreaterThan(types.indexOf("node.started"));
    expect(types.indexOf("custom")).toBeLessThan(types.indexOf("node.finished"));
  });

  test("emit can't pretend to be the engine", async () => {
    const liar = createNode<LogState>({ id: "liar", execute: ({ emit }) => emit("node.finished", { key: "other#1" }) });
    const { error } = await executeGraph(graph(logAnnotations).start(liar).compile(), {
      journal: { store: new MemorySaver(), run: "r" },
    });

    expect(error?.message).toContain(`Node "liar" emitted "node.finished", which is a name of Atomic's own events.`);
  });

  test("listeners that throw do not stop the run; a warning says so once, in the result and on record", async () => {
    const store = new MemorySaver();
    let calls = 0;
    const bad = (name: string) => (): void => {
      calls++;
      throw new Error(`bad ${name}`);
    };
    const node = sayAfter("a", ({ progress }) => progress("half"));
    const { status, state, warnings } = await executeGraph(
      graph(logAnnotations).start(node).then(say("b")).then(say("c")).compile(),
      {
        journal: { store, run: "r" },
        onEvent: bad("event"),
        onStep: () => Promise.resolve().then(bad("step")),
        onProgress: bad("progress"),
      },
    );

    expect([status, state.log]).toEqual(["completed", ["a", "b", "c"]]);
    expect(calls).toBeGreaterThan(6);
    expect(warnings?.map(({ kind, message }) => [kind, message.split(".")[0]]).toSorted()).toEqual([
      ["listener-failed", "onEvent threw: bad event"],
      ["listener-failed", "onProgress threw: bad progress"],
      ["listener-failed", "onStep threw: bad step"],
    ]);
    const recorded = (await collect(store.read("r"))).filter(({ type }) => type === "run.warned");
    expect(recorded).toHaveLength(3);
    expect(new Set(recorded.map(({ subject }) => subject))).toEqual(new Set(["onEvent", "onProgress", "onStep"]));
  });
});

test("listeners that throw what can't be shown do not stop the run either", async () => {
  const unshowable = (): never => {
    throw Object.create({ message: Object.create(null) });
  };
  const { status, warnings } = await executeGraph(graph(logAnnotations).start(say("a")).compile(), {
    onEvent: unshowable,
    onStep: () => Promise.resolve().then(unshowable),
  });

  expect(status).toBe("completed");
  expect(warnings?.map(({ kind }) => kind)).toContain("listener-failed");
});

test("a node that throws an object without a message fails with its contents", async () => {
  const node = createNode<LogState>({ id: "a", execute: () => Promise.reject({ status: 429 }) });
  const { status, error } = await executeGraph(graph(logAnnotations).start(node).compile());

  expect(status).toBe("failed");
  expect(error?.message).toBe('Node "a" failed: {"status":429}');
});

describe("ctx.runtime", () => {
  test("is what the run was started with, filled up with defaults", async () => {
    let runtime: Runtime | undefined;
    const node = createNode<LogState>({ id: "a", execute: (context) => void (runtime = context.runtime) });
    const clock = createFakeClock(5);
    const tools = { tool: () => ({ name: "x", description: "", execute: () => 1 }) };
    await executeGraph(graph(logAnnotations).start(node).compile(), { runtime: { clock, tools } });

    expect(runtime?.clock).toBe(clock);
    expect(runtime?.tools).toBe(tools);
    expect(runtime?.ids.next()).toMatch(/^[0-9a-f-]{36}$/);
    expect(createRuntime().clock).toBe(systemClock);
  });

  test("is not read from anywhere else: executeGraph knows no process-wide defaults", async () => {
    let runtime: Runtime | undefined;
    const node = createNode<LogState>({ id: "a", execute: (context) => void (runtime = context.runtime) });
    await executeGraph(graph(logAnnotations).start(node).compile());

    expect([runtime?.agents, runtime?.entities, runtime?.workflows, runtime?.tools]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("the rest of the context", () => {
  test("names the node, its visit and its key", async () => {
    const seen: unknown[] = [];
    const node = createNode<LogState>({
      id: "a",
      execute: ({ node, key, visit, failure, signal }) =>
        void seen.push({ node, key, visit, failure, isAborted: signal.aborted }),
    });
    await graph(logAnnotations)
      .start(say("s"))
      .loop(node, { until: () => false, maxIterations: 2 })
      .compile()
      .execute();

    expect(seen).toEqual([
      { node: "a", key: "a#1", visit: 1, failure: undefined, isAborted: false },
      { node: "a", key: "a#2", visit: 2, failure: undefined, isAborted: false },
    ]);
  });

  test("stops an ended attempt that asks later", async () => {
    let late: (() => boolean) | undefined;
    const node = createNode<LogState>({ id: "a", execute: (context) => void (late = () => context.signal.aborted) });
    await graph(logAnnotations)
      .start(node)
      .then(waitNode({ id: "w", prompt: "?", default: 1 }))
      .compile();
    await executeGraph(graph(logAnnotations).start(node).compile());

    expect(late?.()).toBe(true);
  });
});

describe("a body that changes its context", () => {
  const changes: Record<string, (context: object) => void> = {
    "by names that mean nothing to it": (context) =>
      void Object.assign(context, { abort: 1, drain: 1, end: 1, endUnrecorded: 1, running: 1, notes: [] }),
    "so that nothing of it is left": (context) => void Object.setPrototypeOf(context, null),
  };
  for (const [how, change] of Object.entries(changes)) {
    test(`${how} harms only itself: the run ends as ever`, async () => {
      const run = async (changing: boolean, journal: { store: MemorySaver; run: string } | undefined) => {
        const node = (id: string, body: () => Promise<void>) =>
          createNode<LogState>({
            id,
            execute: async (context) => {
              void context.signal;
              if (changing) change(context);
              await body();
              return { stateUpdate: { log: [id] } };
            },
          });
        const compiled = graph(logAnnotations)
          .start(node("first", async () => undefined))
          .parallel({
            id: "both",
            branches: {
              fails: node("fails", async () => {
                throw new Error("no luck");
              }),
              works: node("works", async () => undefined),
            },
          })
          .then(say("after"))
          .catch(say("caught"))
          .compile();
        const { status, state } = await executeGraph(compiled, journal === undefined ? {} : { journal });
        return { status, log: state.log };
      };

      const expected = await run(false, undefined);
      expect(expected.status).toBe("completed");
      expect(await run(true, undefined)).toEqual(expected);
      expect(await run(true, { store: new MemorySaver(), run: "r" })).toEqual(expected);
    });

    test(`${how} in a branch that loses, and in a run that is stopped, keeps neither from ending`, async () => {
      const stop = new AbortController();
      const hang = createNode<LogState>({
        id: "slow",
        execute: async (context) => {
          const { signal } = context;
          change(context);
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        },
      });
      const racing = graph(logAnnotations)
        .start(say("a"))
        .parallel({ id: "race", strategy: "race", branches: { slow: hang, quick: say("quick") } })
        .compile();
      expect((await executeGraph(racing)).status).toBe("completed");

      const stopped = executeGraph(graph(logAnnotations).start(hang).compile(), { signal: stop.signal });
      stop.abort();
      expect((await stopped).status).toBe("paused");
    });
  }
});
