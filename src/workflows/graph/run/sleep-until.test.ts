import { describe, expect, test } from "bun:test";
import { createFakeClock } from "atomic/testing";
import { createNode, executeGraph, graph } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { logAnnotations } from "../../../../tests/support/graph-kit.ts";
import { ask, recorded } from "../../../../tests/support/graph-runs.ts";

describe("ctx.sleepUntil", () => {
  test("sleeps until a time that a restart does not move", async () => {
    const clock = createFakeClock();
    const node = createNode<LogState>({
      id: "nap",
      execute: async ({ runtime, sleepUntil }) => {
        await sleepUntil(runtime.clock.now() + 60_000);
        return { stateUpdate: { log: [`woke at ${runtime.clock.now()}`] } };
      },
    });
    const { go } = recorded(graph(logAnnotations).start(node).compile());
    const stop = new AbortController();
    const first = go({ runtime: { clock }, signal: stop.signal });
    await clock.advance(10_000);
    stop.abort();
    expect((await first).status).toBe("paused");

    const later = createFakeClock(40_000);
    const second = go({ runtime: { clock: later } });
    await later.advance(20_000);

    expect((await second).state.log).toEqual(["woke at 60000"]);
  });

  const nap = createNode<LogState>({
    id: "nap",
    execute: async ({ runtime, sleepUntil }) => {
      await sleepUntil(runtime.clock.now() + 60_000);
      return { stateUpdate: { log: ["woke"] } };
    },
  });
  const hour = 3_600_000;

  test("takes no longer than it was meant to when the clock is set back before the run is resumed", async () => {
    const { go } = recorded(graph(logAnnotations).start(nap).compile());
    const clock = createFakeClock(2 * hour);
    const stop = new AbortController();
    const first = go({ runtime: { clock }, signal: stop.signal });
    await clock.advance(20_000);
    stop.abort();
    await first;

    const earlier = createFakeClock(hour);
    const second = go({ runtime: { clock: earlier } });
    await earlier.advance(40_000);

    expect((await second).state.log).toEqual(["woke"]);
  });

  test("is not skipped in a run whose clock was set back before", async () => {
    const clock = createFakeClock(hour);
    const { go } = recorded(graph(logAnnotations).start(ask("before", "?")).then(nap).compile());
    await go({ runtime: { clock: createFakeClock(2 * hour) } });
    let isOver = false;
    const running = go({ runtime: { clock }, answers: { "?": "a" } }).finally(() => (isOver = true));
    await clock.advance(59_000);

    expect(isOver).toBe(false);
    await clock.advance(1_000);
    expect((await running).state.log).toEqual(["a", "woke"]);
  });

  test("refuses what is not a time, and is not tried again", async () => {
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, "tomorrow" as never]) {
      const node = createNode<LogState>({
        id: "nap",
        retry: { maxAttempts: 3 },
        execute: ({ sleepUntil }) => sleepUntil(time),
      });
      const { error } = await executeGraph(graph(logAnnotations).start(node).compile());

      expect(error).toMatchObject({ code: "NOT_JSON", message: expect.stringContaining(`is ${time}.`) });
    }
  });
});
