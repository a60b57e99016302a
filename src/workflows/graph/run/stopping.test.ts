import { describe, expect, test } from "bun:test";
import { createFakeClock } from "atomic/testing";
import type { ExecuteOptions } from "atomic/workflows/graph";
import {
  AtomicError,
  createNode,
  executeGraph,
  graph,
  mapNode,
  MemorySaver,
  pauseWith,
  subgraphNode,
  waitNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, createGate, logAnnotations, say, sayAfter } from "../../../../tests/support/graph-kit.ts";

/** A graph whose second node waits until it is stopped. */
function stoppable() {
  const started = createGate();
  const reasons: unknown[] = [];
  let goesOn = false;
  const slow = sayAfter("slow", ({ signal }) => {
    if (goesOn) return undefined;
    started.open();
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        reasons.push(signal.reason);
        reject(signal.reason as Error);
      });
    });
  });
  const compiled = graph(logAnnotations).start(say("a")).then(slow).then(say("b")).compile();
  return { compiled, started, reasons, letGo: () => (goesOn = true) };
}

describe("aborting the signal", () => {
  test("pauses the run, aborts the running node, and starts nothing more", async () => {
    const { compiled, started, reasons } = stoppable();
    const stop = new AbortController();
    const running = executeGraph(compiled, { signal: stop.signal });
    await started.opened;
    stop.abort();

    const { status, reason, state, error } = await running;

    expect({ status, reason, error }).toEqual({ status: "paused", reason: "interrupted", error: undefined });
    expect(state.log).toEqual(["a"]);
    expect(reasons).toHaveLength(1);
  });

  test("before the start runs nothing", async () => {
    const { status, state } = await executeGraph(graph(logAnnotations).start(say("a")).compile(), {
      signal: AbortSignal.abort(),
    });

    expect(status).toBe("paused");
    expect(state.log).toEqual([]);
  });

  for (const reason of ["paused", "needs-human", "budget", "interrupted"] as const) {
    test(`with pauseWith("${reason}") says so, with the details`, async () => {
      const store = new MemorySaver();
      const result = await executeGraph(graph(logAnnotations).start(say("a")).compile(), {
        signal: AbortSignal.abort(pauseWith(reason, { limit: "cost" })),
        journal: { store, run: "r" },
      });
      const last = (await collect(store.read("r"))).at(-1);

      expect(result.reason).toBe(reason);
      expect(last).toMatchObject({ type: "run.paused", reason, limit: "cost" });
    });
  }

  test("leaves a recorded run that resumes where it stood", async () => {
    const { compiled, started, letGo } = stoppable();
    const store = new MemorySaver();
    const stop = new AbortController();
    const running = executeGraph(compiled, { signal: stop.signal, journal: { store, run: "r" } });
    await started.opened;
    stop.abort();
    await running;
    letGo();

    const { status, state } = await executeGraph(compiled, { journal: { store, run: "r", resume: true } });

    expect(status).toBe("completed");
    expect(state.log).toEqual(["a", "slow", "b"]);
    const starts = (await collect(store.read("r"))).filter((event) => event.type === "node.started");
    expect(starts.map(({ key, attempt }) => [key, attempt])).toEqual([
      ["a#1", 1],
      ["slow#1", 1],
      ["slow#1", 2],
      ["b#1", 1],
    ]);
  });

  test("stops every branch", async () => {
    const stop = new AbortController();
    const here = createGate();
    const reasons: string[] = [];
    let waiting = 0;
    const hang = (id: string) =>
      sayAfter(
        id,
        ({ signal }) =>
          new Promise<void>((resolve) => {
            if (++waiting === 2) here.open();
            signal.addEventListener("abort", () => {
              reasons.push(id);
              resolve();
            });
          }),
      );
    const running = executeGraph(
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ branches: [hang("x"), hang("y")] })
        .compile(),
      { signal: stop.signal },
    );
    await here.opened;
    stop.abort();

    expect((await running).status).toBe("paused");
    expect(reasons.toSorted()).toEqual(["x", "y"]);
  });

  test("ends a pause between attempts at once", async () => {
    const clock = createFakeClock();
    const stop = new AbortController();
    const node = createNode<LogState>({
      id: "a",
      retry: { maxAttempts: 2, backoffMs: 3_600_000 },
      execute: () => {
        throw new Error("broken");
      },
    });
    const running = executeGraph(graph(logAnnotations).start(node).compile(), {
      signal: stop.signal,
      runtime: { clock },
    });
    await clock.advance(10);
    stop.abort();

    expect((await running).status).toBe("paused");
  });

  test("waits for what still runs, but no longer than graceMs", async () => {
    const clock = createFakeClock();
    const never = createGate();
    const started = createGate();
    const stop = new AbortController();
    const deaf = sayAfter("deaf", () => {
      started.open();
      return never.opened;
    });
    let isOver = false;
    const running = executeGraph(graph(logAnnotations).start(deaf).compile(), {
      signal: stop.signal,
      runtime: { clock },
      graceMs: 2000,
    }).then((result) => {
      isOver = true;
      return result;
    });
    await started.opened;
    stop.abort();
    await clock.advance(1999);
    expect(isOver).toBe(false);
    await clock.advance(1);

    expect((await running).status).toBe("paused");
  });
});

describe("a request from elsewhere", () => {
  const requested = async (type: "pause" | "cancel") => {
    const { compiled, started } = stoppable();
    const store = new MemorySaver();
    const running = executeGraph(compiled, { journal: { store, run: "r" } });
    await started.opened;
    await store.request("r", { type });
    return { result: await running, store, compiled };
  };

  test("to pause pauses the run", async () => {
    const { result } = await requested("pause");

    expect(result).toMatchObject({ status: "paused", reason: "paused", state: { log: ["a"] } });
  });

  test("to cancel ends it for good", async () => {
    const { result, store, compiled } = await requested("cancel");
    const last = (await collect(store.read("r"))).at(-1);

    expect(result).toMatchObject({ status: "cancelled", state: { log: ["a"] } });
    expect(last).toMatchObject({ type: "run.finished", outcome: "cancelled" });
    const again = executeGraph(compiled, { journal: { store, run: "r", resume: true } });
    await expect(again).rejects.toMatchObject({ code: "RUN_FINISHED" });
  });
});

describe("a resumed run that is stopped", () => {
  const chain = () =>
    graph(logAnnotations)
      .start(say("a"))
      .parallel({ branches: [say("b"), say("c")] })
      .then(waitNode({ id: "ask", prompt: "?" }))
      .then(say("d"))
      .compile();

  async function waiting(): Promise<MemorySaver> {
    const store = new MemorySaver();
    await executeGraph(chain(), { journal: { store, run: "r" } });
    return store;
  }

  test("by a request that came before it was resumed has the state it stood at", async () => {
    const store = await waiting();
    await store.request("r", { type: "cancel" });

    const result = await executeGraph(chain(), { journal: { store, run: "r", resume: true } });

    expect(result).toMatchObject({ status: "cancelled", state: { log: ["a", "b", "c"], total: 3 } });
  });

  test("by a signal that was given before it was resumed has it too, and repeats nothing later", async () => {
    const store = await waiting();
    const journal = { store, run: "r", resume: true };

    const stopped = await executeGraph(chain(), { journal, answers: { "?": 1 }, signal: AbortSignal.abort() });
    const last = await executeGraph(chain(), { journal, answers: { "?": 1 } });

    expect(stopped).toMatchObject({ status: "paused", reason: "interrupted", state: { log: ["a", "b", "c"] } });
    expect(last).toMatchObject({ status: "completed", state: { log: ["a", "b", "c", "d"] } });
  });

  test("after its last node has the last state", async () => {
    const stopping = new AbortController();
    const store = new MemorySaver();
    const result = await executeGraph(graph(logAnnotations).start(say("a")).then(say("b")).compile(), {
      journal: { store, run: "r" },
      signal: stopping.signal,
      onStep: ({ nodeId }) => {
        if (nodeId === "b") stopping.abort();
      },
    });

    expect(result.state.log).toEqual(["a", "b"]);
  });
});

describe("stopping waits for what runs inside a node", () => {
  /** Nodes that notice the stop, clean up for a while and still finish. */
  function nested(kind: "subgraph" | "map") {
    const ended: string[] = [];
    const begun = createGate();
    const tidy = {
      id: "tidy",
      type: "tool" as const,
      execute: async ({ signal, key }: { readonly signal: AbortSignal; readonly key: string }) => {
        begun.open();
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve, 1));
        ended.push(key);
        return { stateUpdate: { outputs: { tidy: key } } };
      },
    };
    const outer =
      kind === "map"
        ? mapNode<LogState>({ id: "outer", items: () => [1, 2], node: tidy })
        : subgraphNode<LogState>({ id: "outer", subgraph: graph<LogState>().start(tidy).compile() });
    return { ended, begun, compiled: graph(logAnnotations).start(outer).compile() };
  }

  for (const kind of ["subgraph", "map"] as const) {
    test(`${kind}: it is recorded, and not done again`, async () => {
      const { ended, begun, compiled } = nested(kind);
      const store = new MemorySaver();
      const stopping = new AbortController();
      const running = executeGraph(compiled, { journal: { store, run: "r" }, signal: stopping.signal });
      await begun.opened;
      stopping.abort();
      expect((await running).status).toBe("paused");
      const before = [...ended];
      const inner = (await collect(store.read("r"))).filter(
        ({ type, node }) => type === "node.finished" && node === "tidy",
      );

      expect(before).toHaveLength(kind === "map" ? 2 : 1);
      expect(inner).toHaveLength(before.length);
      expect((await executeGraph(compiled, { journal: { store, run: "r", resume: true } })).status).toBe("completed");
      expect(ended).toEqual(before);
    });
  }
});

describe("the step limit", () => {
  const endless = (options: Partial<ExecuteOptions<LogState>>, maxSteps?: number) =>
    executeGraph(
      graph(logAnnotations)
        .start(say("s"))
        .loop([say("a"), say("b")], { until: () => false, maxIterations: 0 })
        .compile(maxSteps === undefined ? {} : { maxSteps }),
      options,
    );

  test("pauses a loop without a way out, with an error that says what to do", async () => {
    const { status, reason, error, state } = await endless({ maxSteps: 10 });

    expect([status, reason]).toEqual(["paused", "budget"]);
    expect(AtomicError.is(error, "STEP_LIMIT")).toBe(true);
    expect(error?.message).toBe(
      'The run took 10 steps and was about to run "b". Most likely a loop has no way out. If the work is really that long, raise `maxSteps` (0 = no limit) and resume.',
    );
    expect(state.total).toBe(10);
  });

  test("is recorded as such, and raising it resumes", async () => {
    const store = new MemorySaver();
    const run = (resume: boolean, maxSteps: number) => endless({ journal: { store, run: "r", resume }, maxSteps });

    await run(false, 4);
    expect((await collect(store.read("r"))).at(-1)).toMatchObject({
      type: "run.paused",
      reason: "budget",
      limit: "max-steps",
      message: expect.stringContaining("took 4 steps"),
    });
    // As it is, and lower than what was done already.
    expect((await run(true, 4)).state.total).toBe(4);
    expect((await run(true, 2)).state.total).toBe(4);
    const raised = await run(true, 9);

    expect([raised.status, raised.state.log.join("")]).toEqual(["paused", "sabababab"]);
    expect((await collect(store.read("r"))).filter(({ type }) => type === "node.finished")).toHaveLength(9);
  });

  test("is an error for a caller that asked for a state", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .loop(say("a"), { until: () => false, maxIterations: 0 })
      .compile({ maxSteps: 3 });

    await expect(compiled.execute()).rejects.toMatchObject({ code: "STEP_LIMIT" });
  });

  test("can be set by compile, and the run's own goes first", async () => {
    expect((await endless({}, 5)).state.total).toBe(5);
    expect((await endless({ maxSteps: 7 }, 5)).state.total).toBe(7);
  });

  test("is 10,000 by default", async () => {
    expect((await endless({})).state.total).toBe(10_000);
  });

  test("is unlimited with 0", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .loop(say("a"), { until: ({ total }) => total > 10_500, maxIterations: 0 })
      .compile({ maxSteps: 0 });

    expect((await compiled.execute()).total).toBe(10_501);
  });

  test("counts the steps of all branches and subgraphs", async () => {
    const inner = graph(logAnnotations).start(say("i1")).then(say("i2")).compile();
    const { steps } = await executeGraph(
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ branches: [[say("x1"), say("x2")], subgraphNode({ id: "y", subgraph: inner })] })
        .compile(),
    );

    // s, the parallel node, x1, x2, y, i1, i2
    expect(steps).toBe(7);
  });

  test("counts on over a resume", async () => {
    const store = new MemorySaver();
    const compiled = graph(logAnnotations)
      .start(say("a"))
      .then(say("b"))
      .then(waitNode({ id: "ask", prompt: "?" }))
      .then(say("c"))
      .then(say("d"))
      .compile({ maxSteps: 4 });
    await executeGraph(compiled, { journal: { store, run: "r" } });

    const { error } = await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(AtomicError.is(error, "STEP_LIMIT")).toBe(true);
    expect(error?.message).toContain('about to run "d"');
  });
});
