import { describe, expect, test } from "bun:test";
import { createFakeClock } from "atomic/testing";
import { AtomicError, createNode, executeGraph, graph, MemorySaver } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, createGate, logAnnotations, say, sayAfter, turns } from "../../../../tests/support/graph-kit.ts";
import { runLate } from "../../../../tests/support/graph-runs.ts";

describe("timeoutMs", () => {
  test("fails a try that takes longer, and aborts its signal", async () => {
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

  test("counts for each try by itself", async () => {
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

  test("records no part that ends after the time of its try", async () => {
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

  test("makes nothing of what a try does after its time", async () => {
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
