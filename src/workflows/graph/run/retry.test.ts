import { describe, expect, test } from "bun:test";
import { createFakeClock } from "atomic/testing";
import type { NodeDefinition, RetryConfig } from "atomic/workflows/graph";
import { AtomicError, createNode, executeGraph, graph, MemorySaver } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, createGate, logAnnotations, say, sayAfter, turns } from "../../../../tests/support/graph-kit.ts";
import { flaky, runAtOnce, runLate } from "../../../../tests/support/graph-runs.ts";

describe("retry", () => {
  test("tries again until it works, and hands the body the number of the attempt", async () => {
    const tries: number[] = [];
    const { state } = await runAtOnce(flaky("a", 2, { retry: { maxAttempts: 3, backoffMs: 10 } }, tries));

    expect(tries).toEqual([1, 2, 3]);
    expect(state.log).toEqual(["s", "a"]);
  });

  test("gives up after maxAttempts and says how often it tried", async () => {
    const tries: number[] = [];
    const { status, error } = await runAtOnce(flaky("a", 9, { retry: { maxAttempts: 3, backoffMs: 1 } }, tries));

    expect(status).toBe("failed");
    expect(tries).toHaveLength(3);
    expect(error?.message).toBe('Node "a" failed after 3 tries: failure 3');
  });

  const pauses: readonly [string, Omit<RetryConfig, "maxAttempts">, number[]][] = [
    ["doubles from a second when nothing is said", {}, [1000, 2000, 4000]],
    ["multiplies as configured", { backoffMs: 100, backoffMultiplier: 3 }, [100, 300, 900]],
    ["stays the same with 1", { backoffMs: 50, backoffMultiplier: 1 }, [50, 50, 50]],
    ["is never longer than maxBackoffMs", { backoffMs: 100, maxBackoffMs: 250 }, [100, 200, 250]],
    ["is never longer than a minute by default", { backoffMs: 40_000 }, [40_000, 60_000, 60_000]],
  ];

  for (const [what, config, expected] of pauses) {
    test(`pauses between attempts: ${what}`, async () => {
      const { sleeps, status } = await runAtOnce(flaky("a", 3, { retry: { maxAttempts: 4, ...config } }));

      expect(status).toBe("completed");
      expect(sleeps).toEqual(expected);
    });
  }

  test("is not tried where retryOn says no", async () => {
    const tries: number[] = [];
    const retry: RetryConfig = { maxAttempts: 5, backoffMs: 1, retryOn: (error) => error.message === "failure 1" };
    const { error } = await runAtOnce(flaky("a", 9, { retry }, tries));

    expect(tries).toHaveLength(2);
    expect(error?.message).toContain("failure 2");
  });

  test("is not tried for an update that is not JSON, which would only be so again", async () => {
    let tries = 0;
    const node = createNode<LogState>({
      id: "a",
      retry: { maxAttempts: 5, backoffMs: 1 },
      execute: () => {
        tries++;
        return { stateUpdate: { total: Number.NaN } };
      },
    });
    const { error } = await runAtOnce(node);

    expect(tries).toBe(1);
    expect(AtomicError.is(error, "NOT_JSON")).toBe(true);
  });

  test("whose retryOn throws fails with both reasons", async () => {
    const retry: RetryConfig = {
      maxAttempts: 5,
      retryOn: () => {
        throw new Error("undecided");
      },
    };
    const { status, error } = await runAtOnce(flaky("a", 9, { retry }));

    expect(status).toBe("failed");
    expect(error?.message).toContain("failure 1");
    expect(error?.message).toContain("undecided");
  });

  test("keeps the state as it was before the failed attempt", async () => {
    const seen: string[][] = [];
    const node = sayAfter(
      "a",
      ({ state, attempt }) => {
        seen.push([...state.log]);
        if (attempt.number < 3) throw new Error("again");
      },
      { retry: { maxAttempts: 3, backoffMs: 1 } },
    );
    const { state } = await runAtOnce(node);

    expect(seen).toEqual([["s"], ["s"], ["s"]]);
    expect(state.log).toEqual(["s", "a"]);
  });

  test("leaves each attempt in the record, with the time of the next", async () => {
    const store = new MemorySaver();
    await runAtOnce(flaky("a", 2, { retry: { maxAttempts: 3, backoffMs: 100 } }), { journal: { store, run: "r" } });
    const events = (await collect(store.read("r"))).filter((event) => event["key"] === "a#1");

    expect(events.map(({ type, attempt, retryAt }) => ({ type, attempt, retryAt }))).toEqual([
      { type: "node.started", attempt: 1, retryAt: undefined },
      { type: "node.failed", attempt: 1, retryAt: 100 },
      { type: "node.started", attempt: 2, retryAt: undefined },
      { type: "node.failed", attempt: 2, retryAt: 300 },
      { type: "node.started", attempt: 3, retryAt: undefined },
      { type: "node.finished", attempt: 3, retryAt: undefined },
    ]);
  });

  test("continues with the remaining attempts when a run is resumed during a pause", async () => {
    const store = new MemorySaver();
    const clock = createFakeClock();
    const tries: number[] = [];
    const compiled = graph(logAnnotations)
      .start(flaky("a", 9, { retry: { maxAttempts: 3, backoffMs: 1000 } }, tries))
      .compile();
    const stop = new AbortController();
    const running = executeGraph(compiled, { journal: { store, run: "r" }, runtime: { clock }, signal: stop.signal });
    await clock.advance(1100);
    expect(tries).toEqual([1, 2]);
    stop.abort();
    expect((await running).status).toBe("paused");

    const later = createFakeClock(clock.now());
    const resumed = executeGraph(compiled, { journal: { store, run: "r", resume: true }, runtime: { clock: later } });
    await later.advance(1000);
    expect(tries).toEqual([1, 2]);
    await later.advance(1000);

    expect((await resumed).error?.message).toBe('Node "a" failed after 3 tries: failure 3');
    expect(tries).toEqual([1, 2, 3]);
  });
});

describe("an attempt that was killed", () => {
  /** Runs it until its process is gone: nothing of it is heard any more, and nothing it does counts. */
  async function killed(node: NodeDefinition<LogState>, store: MemorySaver, resume: boolean): Promise<void> {
    const begun = createGate();
    const deadly = { ...node, execute: () => (begun.open(), new Promise<void>(() => undefined)) };
    void executeGraph(graph(logAnnotations).start(deadly).compile(), {
      journal: { store, run: "r", resume },
    }).catch(() => undefined);
    await begun.opened;
    store.forgetOwners();
  }

  const resumed = (node: NodeDefinition<LogState>, store: MemorySaver) =>
    executeGraph(graph(logAnnotations).start(node).compile(), { journal: { store, run: "r", resume: true } });

  test("counts: a node that ends its own process is not tried forever", async () => {
    const store = new MemorySaver();
    const node = say("deadly", { retry: { maxAttempts: 2, backoffMs: 0 } });
    await killed(node, store, false);
    await killed(node, store, true);

    const { status, error } = await resumed(node, store);

    expect(status).toBe("failed");
    expect(error?.message).toBe(
      'Node "deadly" was started 2 times and its process ended before it did. Its maxAttempts is 2.',
    );
  });

  test("is handled by onError when it was the last one", async () => {
    const store = new MemorySaver();
    const node = say("deadly", {
      retry: { maxAttempts: 1 },
      onError: () => ({ action: "skip", stateUpdate: { log: ["skipped"] } }),
    });
    await killed(node, store, false);

    expect((await resumed(node, store)).state.log).toEqual(["skipped"]);
  });

  test("does not count when a part of the visit was recorded since the last one", async () => {
    const store = new MemorySaver();
    const retry = { maxAttempts: 2, backoffMs: 0 };
    for (const part of [1, 2, 3]) {
      const begun = createGate();
      const dies = createNode<LogState>({
        id: "long",
        retry,
        execute: async ({ step }) => {
          for (let i = 1; i <= part; i++) await step(`part ${i}`, () => i);
          begun.open();
          await new Promise(() => undefined);
        },
      });
      void executeGraph(graph(logAnnotations).start(dies).compile(), {
        journal: { store, run: "r", resume: part > 1 },
      }).catch(() => undefined);
      await begun.opened;
      store.forgetOwners();
    }

    expect((await resumed(say("long", { retry }), store)).status).toBe("completed");
  });

  test("does not count where no number of attempts is set, nor does one that was paused", async () => {
    const store = new MemorySaver();
    for (const resume of [false, true, true]) await killed(say("a"), store, resume);
    expect((await resumed(say("a"), store)).status).toBe("completed");

    const paused = new MemorySaver();
    const waits = sayAfter("b", ({ signal }) => aborted(signal), { retry: { maxAttempts: 2 } });
    for (const resume of [false, true, true]) {
      const { status } = await executeGraph(graph(logAnnotations).start(waits).compile(), {
        journal: { store: paused, run: "r", resume },
        signal: AbortSignal.timeout(1),
      });
      expect(status).toBe("paused");
    }
    expect((await resumed(say("b", { retry: { maxAttempts: 2 } }), paused)).status).toBe("completed");
  });
});

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

describe("timeoutMs", () => {
  test("fails an attempt that takes longer, and aborts its signal", async () => {
    let reason: unknown;
    const never = createGate();
    const node = sayAfter(
      "slow",
      ({ signal }) => {
        signal.addEventListener("abort", () => (reason = signal.reason));
        return never.opened;
      },
      { timeoutMs: 500 },
    );
    const clock = createFakeClock();
    const running = executeGraph(graph(logAnnotations).start(node).compile(), { runtime: { clock }, graceMs: 0 });
    await clock.advance(499);
    expect(reason).toBeUndefined();
    await clock.advance(1);
    const { status, error } = await running;

    expect(status).toBe("failed");
    expect(error).toMatchObject({ code: "NODE_TIMEOUT", retryable: true });
    expect(error?.message).toContain('Node "slow" took longer than its timeoutMs of 500');
    expect(AtomicError.is(reason, "NODE_TIMEOUT")).toBe(true);
  });

  test("leaves a node alone that is in time", async () => {
    const { state } = await runLate(say("quick", { timeoutMs: 500 }), 0);

    expect(state.log).toEqual(["s", "quick"]);
  });

  test("applies to each attempt separately", async () => {
    const never = createGate();
    const tries: number[] = [];
    const node = sayAfter(
      "slow",
      ({ attempt }) => {
        tries.push(attempt.number);
        return attempt.number < 3 ? never.opened : undefined;
      },
      { timeoutMs: 500, retry: { maxAttempts: 3, backoffMs: 10 } },
    );
    const { state } = await runLate(node, 500 + 10 + 500 + 20);

    expect(tries).toEqual([1, 2, 3]);
    expect(state.log).toEqual(["s", "slow"]);
  });

  test("records no part that ends after the time of its attempt", async () => {
    const store = new MemorySaver();
    const late = createGate();
    const refused: string[] = [];
    const node = createNode<LogState>({
      id: "slow",
      timeoutMs: 500,
      onError: () => ({ action: "skip" }),
      execute: async ({ step }) => {
        await step("long", () => late.opened).catch((error: Error) => refused.push(error.message));
      },
    });
    await runLate(node, 500, { journal: { store, run: "r" } });
    late.open();
    await turns();

    expect(refused).toEqual(['the end of step "long" of node "slow" came after its try was over']);
    expect((await collect(store.read("r"))).map(({ type }) => type)).not.toContain("step.finished");
  });

  test("ignores what an attempt does after its time", async () => {
    const store = new MemorySaver();
    const late = createGate();
    const recorded: string[] = [];
    const node = createNode<LogState>({
      id: "slow",
      timeoutMs: 500,
      onError: () => ({ action: "skip" }),
      execute: async ({ step, attempt, ask }) => {
        await late.opened;
        await step("late", () => "x").catch((error: Error) => recorded.push(error.message));
        await attempt.note("late").catch((error: Error) => recorded.push(error.message));
        await ask("late?").catch((error: Error) => recorded.push(error.message));
        return { stateUpdate: { log: ["too late"] } };
      },
    });
    const { state } = await runLate(node, 500, { journal: { store, run: "r" } });
    late.open();
    await turns();

    expect(state.log).toEqual(["s"]);
    expect(recorded).toEqual(
      ['step "late"', "a note", "a question"].map((what) => `${what} of node "slow" came after its try was over`),
    );
    expect(JSON.stringify(await collect(store.read("r")))).not.toContain("too late");
  });
});
