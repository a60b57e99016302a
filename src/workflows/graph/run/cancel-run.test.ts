import { expect, test } from "bun:test";
import { cancelRun, executeGraph, graph, MemorySaver, waitNode } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, logAnnotations, say } from "../../../../tests/support/graph-kit.ts";

const compiled = graph(logAnnotations)
  .start(say("a"))
  .then(waitNode<LogState>({ id: "ask", prompt: "?" }))
  .then(say("b"))
  .compile();

async function lastOf(store: MemorySaver) {
  return (await collect(store.read("r"))).at(-1);
}

test("cancelRun ends a paused run at once, for good, and leaves no request behind", async () => {
  const store = new MemorySaver();
  expect(await executeGraph(compiled, { journal: { store, run: "r" } })).toMatchObject({ status: "paused" });
  await store.request("r", { type: "answer", question: "?", value: 1 });

  expect(await cancelRun(store, "r")).toBe("cancelled");
  expect(await lastOf(store)).toMatchObject({ type: "run.finished", outcome: "cancelled" });
  expect(await store.info("r")).toMatchObject({ status: "cancelled", owner: "none" });
  const resumed = executeGraph(compiled, { journal: { store, run: "r", resume: true } });
  await expect(resumed).rejects.toMatchObject({ code: "RUN_FINISHED" });
  const handle = await store.open("r", { mode: "resume" });
  expect(await handle.pending()).toEqual([]);
});

test("cancelRun ends a run whose process is gone", async () => {
  const store = new MemorySaver();
  const stop = new AbortController();
  const running = executeGraph(compiled, { journal: { store, run: "r" }, questions: "stay", signal: stop.signal });
  while ((await store.info("r").catch(() => undefined)) === undefined) await new Promise(setImmediate);
  while ((await lastOf(store))?.type !== "question.asked") await new Promise(setImmediate);
  store.forgetOwners();

  expect(await cancelRun(store, "r")).toBe("cancelled");
  expect(await lastOf(store)).toMatchObject({ type: "run.finished", outcome: "cancelled" });
  stop.abort();
  await running.catch(() => undefined);
  expect(await lastOf(store)).toMatchObject({ type: "run.finished", outcome: "cancelled" });
});

test("cancelRun asks the process that runs it, and changes nothing about a run that is over", async () => {
  const store = new MemorySaver();
  const running = executeGraph(compiled, { journal: { store, run: "r" }, questions: "stay" });
  while ((await store.info("r").catch(() => undefined))?.owner !== "alive") await new Promise(setImmediate);

  expect(await cancelRun(store, "r")).toBe("requested");
  expect(await running).toMatchObject({ status: "cancelled" });
  const before = await lastOf(store);
  expect(await cancelRun(store, "r")).toBe("finished");
  expect(await lastOf(store)).toEqual(before as never);
  await expect(cancelRun(store, "other")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
});
