import { expect, test } from "bun:test";
import { executeGraph, graph, MemorySaver } from "atomic/workflows/graph";
import { fail, logAnnotations, say, sayAfter } from "../../../../tests/support/graph-kit.ts";

const never = 4_000_000_000_000;

test("a store shows the status of a run after each change of it", async () => {
  const store = new MemorySaver();
  let seen: string | undefined;
  const look = sayAfter("look", async () => (seen = (await store.info("done")).status));

  await executeGraph(graph(logAnnotations).start(look).compile(), { journal: { store, run: "done" } });
  await executeGraph(graph(logAnnotations).start(fail("broken", "no")).compile(), {
    journal: { store, run: "failed" },
  });

  expect(seen).toBe("running");
  expect(await store.info("done")).toMatchObject({ status: "completed", dueAt: undefined });
  expect(await store.info("failed")).toMatchObject({ status: "failed", dueAt: undefined });
});

test("a store shows when a waiting run is due, while it runs and after it paused", async () => {
  const store = new MemorySaver();
  const stop = new AbortController();
  const sleeper = sayAfter("sleeper", ({ sleepUntil }) => sleepUntil(never));
  const running = executeGraph(graph(logAnnotations).start(say("a")).then(sleeper).compile(), {
    journal: { store, run: "r" },
    signal: stop.signal,
    onEvent: (event) => {
      if (event.type === "wait.started") stop.abort();
    },
  });

  expect((await running).status).toBe("paused");

  expect(await store.info("r")).toMatchObject({ status: "paused", dueAt: never });
  expect((await store.list({ dueBy: never })).runs).toHaveLength(1);
  expect((await store.list({ dueBy: never - 1 })).runs).toHaveLength(0);
});
