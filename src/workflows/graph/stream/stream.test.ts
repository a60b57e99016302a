import { describe, expect, test } from "bun:test";
import type { CompiledGraph, StepResult, StreamEvent, StreamMode } from "atomic/workflows/graph";
import {
  createNode,
  executeGraph,
  graph,
  MemorySaver,
  StreamRouter,
  streamGraph,
  waitNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import {
  collect,
  createGate,
  fail,
  logAnnotations,
  say,
  sayAfter,
  turns,
} from "../../../../tests/support/graph-kit.ts";

const chain = graph(logAnnotations).start(say("a")).then(say("b")).then(say("c")).compile();

/** Each step adds one, until it is `steps`. */
function counting(steps: number): CompiledGraph<LogState> {
  return graph(logAnnotations)
    .start(say("first"))
    .loop(say("more"), { until: ({ total }) => total >= steps, maxIterations: 0 })
    .compile();
}

describe("streamGraph", () => {
  test("yields each finished step with what it changed and the state after it", async () => {
    const steps = await collect(streamGraph(chain));

    expect(
      steps.map(({ nodeId, key, visit, update, state, status, isReplayed }) => ({
        nodeId,
        key,
        visit,
        update,
        log: state.log,
        status,
        isReplayed,
      })),
    ).toEqual(
      ["a", "b", "c"].map((id, i) => ({
        nodeId: id,
        key: `${id}#1`,
        visit: 1,
        update: { log: [id], total: 1 },
        log: ["a", "b", "c"].slice(0, i + 1),
        status: "completed" as const,
        isReplayed: false,
      })),
    );
  });

  test("returns the result of the run at its end", async () => {
    const stream = streamGraph(chain);
    let last = await stream.next();
    while (last.done !== true) last = await stream.next();

    expect(last.value).toMatchObject({ status: "completed", steps: 3, state: { log: ["a", "b", "c"] } });
  });

  test("goes no further ahead of a slow reader than its buffer", async () => {
    let ran = 0;
    const loop = graph(logAnnotations)
      .start(say("s"))
      .loop(
        createNode<LogState>({
          id: "work",
          execute: () => {
            ran++;
            return { stateUpdate: { total: 1 } };
          },
        }),
        { until: ({ total }) => total > 5000, maxIterations: 0 },
      )
      .compile();
    const stream = streamGraph(loop);
    await stream.next();
    await turns(20_000);

    expect(ran).toBeLessThan(1000);
    await stream.return(undefined as never);
  });

  test("shows a failure that was handled, with the update of the handler", async () => {
    const compiled = graph(logAnnotations)
      .start(fail("bad", "broken", { onError: () => ({ action: "skip", stateUpdate: { log: ["fixed"] } }) }))
      .then(say("next"))
      .compile();
    const [first, second] = await collect(streamGraph(compiled));

    expect(first).toMatchObject({
      nodeId: "bad",
      status: "recovered",
      update: { log: ["fixed"] },
      state: { log: ["fixed"] },
      error: { message: 'Node "bad" failed: broken', code: "NODE_FAILED" },
    });
    expect(second).toMatchObject({ nodeId: "next", status: "completed" });
  });

  test("throws when the run fails, after the steps that were done", async () => {
    const seen: string[] = [];
    const stream = streamGraph(graph(logAnnotations).start(say("a")).then(fail("bad", "broken")).compile());
    const reading = (async () => {
      for await (const step of stream) seen.push(step.nodeId);
    })();

    await expect(reading).rejects.toThrow('Node "bad" failed: broken');
    expect(seen).toEqual(["a"]);
  });

  test("ends without an error when the run pauses", async () => {
    const compiled = graph(logAnnotations)
      .start(say("a"))
      .then(waitNode({ id: "ask", prompt: "?" }))
      .then(say("b"))
      .compile();

    expect((await collect(streamGraph(compiled))).map(({ nodeId }) => nodeId)).toEqual(["a"]);
  });

  test("ends with an error when the run is cancelled", async () => {
    const store = new MemorySaver();
    const started = createGate();
    const compiled = graph(logAnnotations)
      .start(say("a"))
      .then(
        sayAfter("slow", ({ signal }) => {
          started.open();
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
        }),
      )
      .compile();
    const reading = collect(streamGraph(compiled, { journal: { store, run: "r" } }));
    await started.opened;
    await store.request("r", { type: "cancel" });

    await expect(reading).rejects.toMatchObject({ code: "RUN_CANCELLED", message: "Workflow cancelled" });
  });

  test("pauses the run when the reader leaves, which then can be resumed", async () => {
    const store = new MemorySaver();
    for await (const step of streamGraph(chain, { journal: { store, run: "r" } })) if (step.nodeId === "a") break;
    const last = (await collect(store.read("r"))).at(-1);
    expect(last).toMatchObject({ type: "run.paused", reason: "interrupted" });

    const { state } = await executeGraph(chain, { journal: { store, run: "r", resume: true } });
    expect(state.log).toEqual(["a", "b", "c"]);
  });

  test("marks what is only replayed", async () => {
    const store = new MemorySaver();
    const compiled = graph(logAnnotations)
      .start(say("a"))
      .then(waitNode({ id: "ask", prompt: "?" }))
      .then(say("b"))
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    const steps = await collect(
      streamGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } }),
    );

    expect(steps.map(({ nodeId, isReplayed }) => [nodeId, isReplayed])).toEqual([
      ["a", true],
      ["ask", false],
      ["b", false],
    ]);
  });

  test("shows the steps of branches as their branch sees the state", async () => {
    const gate = createGate();
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: [sayAfter("x", () => gate.opened), sayAfter("y", gate.open)] })
      .then(say("end"))
      .compile();
    const steps = await collect(streamGraph(compiled));
    const logOf = (id: string) => steps.find((step: StepResult<LogState>) => step.nodeId === id)?.state.log;

    expect(logOf("y")).toEqual(["s", "y"]);
    expect(logOf("x")).toEqual(["s", "x"]);
    expect(logOf("end")).toEqual(["s", "x", "y", "end"]);
  });

  test("can be aborted from outside", async () => {
    const steps = await collect(streamGraph(chain, { signal: AbortSignal.abort() }));

    expect(steps).toEqual([]);
  });

  test("answers calls of next() in their order, however many are made at once", async () => {
    const stream = streamGraph(counting(600));
    const seen: number[] = [];
    for (let isDone = false; !isDone;) {
      const answers = await Promise.all([stream.next(), stream.next(), stream.next()]);
      for (const answer of answers) if (answer.done !== true) seen.push(answer.value.state.total);
      isDone = answers.some((answer) => answer.done === true);
    }

    expect(seen).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
  });

  test.each(["return", "throw"] as const)("gives nothing more after %s(), whatever is in its buffer", async (how) => {
    const stream = streamGraph(counting(600));
    await stream.next();
    await turns(2_000);
    if (how === "return") await stream.return(undefined as never);
    else await expect(stream.throw(new Error("enough"))).rejects.toThrow("enough");

    expect(await stream.next()).toEqual({ done: true, value: undefined as never });
  });

  test("calls the caller's own onStep too", async () => {
    const own: string[] = [];
    const steps = await collect(streamGraph(chain, { onStep: ({ nodeId }) => void own.push(nodeId) }));

    expect(own).toEqual(steps.map(({ nodeId }) => nodeId));
  });
});

describe("StreamRouter", () => {
  const talkative = graph(logAnnotations)
    .start(
      createNode({
        id: "talk",
        execute: ({ emit, progress }) => {
          emit("page.read", { page: 1 });
          emit("mood", "good");
          emit("ping");
          progress("token", "Hel");
          return { stateUpdate: { log: ["talk"] } };
        },
      }),
    )
    .then(say("end"))
    .compile();
  const read = (mode?: StreamMode | StreamMode[]): Promise<StreamEvent<LogState>[]> =>
    collect(new StreamRouter(talkative).stream(mode));
  const kinds = (events: readonly StreamEvent<LogState>[]) => [...new Set(events.map(({ mode }) => mode))].toSorted();

  test("values: the state after each node; it is the default", async () => {
    const events = await read("values");

    expect(events.map((event) => (event.mode === "values" ? [event.nodeId, event.state.log] : []))).toEqual([
      ["talk", ["talk"]],
      ["end", ["talk", "end"]],
    ]);
    expect(kinds(await read())).toEqual(["values"]);
  });

  test("updates: what each node changed", async () => {
    expect(await read("updates")).toEqual([
      { mode: "updates", nodeId: "talk", update: { log: ["talk"] } },
      { mode: "updates", nodeId: "end", update: { log: ["end"], total: 1 } },
    ]);
  });

  test("custom: what nodes emit, stored or only shown, with its data as it was", async () => {
    const events = await read("custom");

    expect(kinds(events)).toEqual(["custom"]);
    expect(events).toContainEqual({ mode: "custom", nodeId: "talk", type: "page.read", data: { page: 1 } });
    expect(events).toContainEqual({ mode: "custom", nodeId: "talk", type: "mood", data: "good" });
    expect(events).toContainEqual({ mode: "custom", nodeId: "talk", type: "token", data: "Hel" });
    expect(events.some((event) => event.mode === "custom" && event.type === "ping")).toBe(true);
    expect(events).toHaveLength(4);
  });

  test("debug: everything the engine records, although there is no journal", async () => {
    const events = await read("debug");
    const types = events.flatMap((event) => (event.mode === "debug" ? [event.event.type] : []));

    expect(kinds(events)).toEqual(["debug"]);
    expect(types).toEqual([
      "run.started",
      "node.started",
      "custom",
      "custom",
      "custom",
      "node.finished",
      "node.started",
      "node.finished",
      "run.finished",
    ]);
  });

  test("all: everything", async () => {
    expect(kinds(await read("all"))).toEqual(["custom", "debug", "updates", "values"]);
  });

  test("takes several modes at once", async () => {
    expect(kinds(await read(["values", "custom"]))).toEqual(["custom", "values"]);
  });

  test("makes each stream a separate run", async () => {
    const router = new StreamRouter(talkative);

    expect((await collect(router.stream("updates"))).length).toBe((await collect(router.stream("updates"))).length);
  });

  test("passes the run's options on, listeners included", async () => {
    const store = new MemorySaver();
    const heard: string[] = [];
    await collect(
      new StreamRouter(talkative, {
        journal: { store, run: "r" },
        initialState: { total: 5 },
        onEvent: ({ type }) => heard.push(type),
        onStep: ({ nodeId }) => void heard.push(nodeId),
        onProgress: ({ type }) => heard.push(type),
      }).stream("all"),
    );

    expect(heard).toContain("node.finished");
    expect(heard).toContain("end");
    expect(heard).toContain("token");
    expect((await collect(store.read("r"))).length).toBeGreaterThan(5);
  });

  test("holds the run back for a slow reader, in each mode that carries states or updates", async () => {
    for (const mode of ["values", "updates"] as const) {
      let ran = 0;
      const work = createNode<LogState>({
        id: "work",
        execute: () => {
          ran++;
          return { stateUpdate: { total: 1 } };
        },
      });
      const loop = graph(logAnnotations)
        .start(say("s"))
        .loop(work, { until: ({ total }) => total > 5000, maxIterations: 0 })
        .compile();
      const stream = new StreamRouter(loop).stream(mode);
      await stream.next();
      await turns(20_000);

      expect(ran).toBeLessThan(1000);
      await stream.return(undefined as never);
    }
  });

  test("refuses an unknown mode", () => {
    expect(() => new StreamRouter(talkative).stream("everything" as never)).toThrow(
      'StreamRouter.stream(): "everything" is not a mode; there are values, updates, custom, debug, all.',
    );
    expect(() => new StreamRouter(talkative).stream([])).toThrow("StreamRouter.stream(): ");
  });
});
