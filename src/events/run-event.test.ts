import { expect, test } from "bun:test";
import { executeGraph } from "../workflows/graph/run/execute.ts";
import { MemorySaver } from "../journal/memory.ts";
import { graph } from "../workflows/graph/build/builder.ts";
import { logAnnotations, say, sayAfter } from "../../tests/support/graph-kit.ts";
import { authorEvents } from "./author-events.ts";
import { engineEvents } from "./engine-events.ts";
import { reportedEvents } from "./reported-events.ts";
import { isReserved, readEvent, storedOf } from "./run-event.ts";

const asking = graph(logAnnotations)
  .start(say("a"))
  .then(sayAfter("b", ({ ask }) => ask("?")))
  .compile();
const stamp = { seq: 3, at: 1000 };

test("readEvent returns the stored object itself when it is valid", () => {
  const stored = { ...stamp, type: "task.updated", task: { id: "1", title: "One", status: "pending" }, more: [1] };

  expect(readEvent(stored)).toBe(readEvent(stored));
  expect(readEvent(stored) as object).toBe(stored);
});

test("an event of a later version, of an author under a bare name, or without a required field is unknown", () => {
  for (const stored of [
    { ...stamp, type: "agent.dreamed", of: "sheep" },
    { ...stamp, type: "page.read", key: "a#1", node: "a", page: 1 },
    { ...stamp, type: "node.finished", node: "a", visit: 1, attempt: 1 },
    { ...stamp, type: "task.updated", task: { id: 7 } },
    { ...stamp, type: "run.finished", outcome: "perhaps" },
    { ...stamp, type: "constructor" },
    { ...stamp, type: "unknown" },
  ]) {
    const event = readEvent(stored);
    expect(event).toEqual({ ...stamp, type: "unknown", stored });
    expect(storedOf(event)).toBe(stored);
  }
});

test("an optional field with a wrong value is left out, and the rest is kept", () => {
  const stored = { ...stamp, type: "run.paused", reason: "budget", limit: 3, message: { text: "?" }, extra: 1 };

  expect(readEvent(stored) as object).toEqual({ ...stamp, type: "run.paused", reason: "budget", extra: 1 });
});

test("every name of the union is reserved", () => {
  const names = Object.keys({ ...engineEvents, ...reportedEvents, ...authorEvents });
  expect(names.filter((name) => !isReserved(name))).toEqual([]);
  expect([isReserved("unknown"), isReserved("page.read"), isReserved("toString")]).toEqual([true, false, false]);
});

test("a run whose record holds events of a later version resumes as if they were not there", async () => {
  const store = new MemorySaver();
  await executeGraph(asking, { journal: { store, run: "r" } });
  const handle = await store.open("r", { mode: "resume" });
  await handle.append([
    { type: "agent.dreamed", of: "sheep" },
    { type: "state.migrated", key: "a#1", node: "a", to: 7 },
  ]);
  await handle.close();

  const resumed = await executeGraph(asking, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

  expect(resumed).toMatchObject({ status: "completed", state: { log: ["a", "b"] } });
});

test("an engine event without a field that the fold needs is refused, not folded", async () => {
  const store = new MemorySaver();
  await executeGraph(asking, { journal: { store, run: "r" } });
  const handle = await store.open("r", { mode: "resume" });
  await handle.append([{ type: "node.finished", node: "b", visit: 1, attempt: 1 }]);
  await handle.close();

  const resumed = executeGraph(asking, { journal: { store, run: "r", resume: true } });

  await expect(resumed).rejects.toMatchObject({ code: "JOURNAL_CORRUPT" });
});
