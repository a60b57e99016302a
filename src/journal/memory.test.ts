import { expect, test } from "bun:test";
import { MemorySaver } from "./memory.ts";

test("MemorySaver forgets its owners on request, as a crash would", async () => {
  const store = new MemorySaver();
  const crashed = await store.open("run-1", { mode: "create" });
  await crashed.append([{ type: "run.started" }]);

  store.forgetOwners();
  const next = await store.open("run-1", { mode: "resume" });

  expect((await Array.fromAsync(next.history)).map((event) => event.type)).toEqual(["run.started"]);
  expect(() => crashed.append([{ type: "step.finished" }])).toThrow(expect.objectContaining({ code: "OWNER_LOST" }));
  expect(next.lastSeq).toBe(1);
});

test("MemorySaver stores nothing of a batch with an event that can't be written", async () => {
  const handle = await new MemorySaver().open("run-1", { mode: "create" });
  const cycle: Record<string, never> = {};
  Object.assign(cycle, { cycle });

  expect(() => handle.append([{ type: "a" }, { type: "b", cycle }])).toThrow();
  expect(handle.lastSeq).toBe(0);
});

test("MemorySaver does not share objects with the caller", async () => {
  const store = new MemorySaver();
  const handle = await store.open("run-1", { mode: "create" });
  const list = [1];
  await handle.append([{ type: "a", list }]);
  list.push(2);

  const [event] = await Array.fromAsync(store.read("run-1"));
  expect(event).toMatchObject({ type: "a", seq: 1, list: [1] });
});
