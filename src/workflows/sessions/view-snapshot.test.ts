import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalEvent, ReadOptions, StoredEvent } from "../../journal/port.ts";
import { checksum } from "../../lib/checksum.ts";
import { createSessionFolder } from "./session-folder.ts";
import { SessionStore } from "./session-store.ts";
import { readView } from "./session-view.ts";
import { readRun } from "./view-snapshot.ts";

const id = "11111111-2222-4333-8444-555555555555";

/** Counts what is read of the journal. */
class CountingStore extends SessionStore {
  count = 0;

  override async *read(run: string, options?: ReadOptions): AsyncGenerator<StoredEvent> {
    for await (const event of super.read(run, options)) {
      this.count++;
      yield event;
    }
  }
}

function eventsOf(from: number, count: number): JournalEvent[] {
  return Array.from({ length: count }, (_, i) => {
    const visit = from + i;
    return {
      type: "node.finished",
      key: `work#${visit}`,
      node: "work",
      visit,
      attempt: 1,
      at: 1_700_000_000_000 + visit,
    };
  });
}

async function longRun(): Promise<CountingStore> {
  const store = new CountingStore({ dir: mkdtempSync(join(tmpdir(), "views-")) });
  createSessionFolder(store.folder(id));
  const handle = await store.open(id, { mode: "create" });
  const start = {
    type: "run.started",
    resumed: false,
    workflow: "w",
    prompt: "p",
    options: { $map: [1], x: { $y: 2 } },
    cwd: "/x",
  };
  await handle.append([{ ...start, at: 1_700_000_000_000 }]);
  await handle.append([
    { type: "task.updated", task: { id: "t1", title: "One", status: "completed" }, at: 1_700_000_000_000 },
  ]);
  const note = { type: "agent-session", agent: "a", session: "main", id: "s1" };
  await handle.append([
    { type: "attempt.noted", key: "plan#1", attempt: 1, note, at: 1_700_000_000_000 },
    { type: "iteration.started", key: "plan#1", node: "plan", iteration: "plan#1 1", at: 1_700_000_000_000 },
  ]);
  for (let i = 0; i < 3; i++) await handle.append(eventsOf(i * 1000 + 1, 1000));
  await handle.close();
  return store;
}

const readings = async (store: CountingStore): Promise<number> => {
  store.count = 0;
  await readRun(store, id);
  return store.count;
};

test("a long run is folded once; after that only what came since is read", async () => {
  const store = await longRun();
  expect(await readings(store)).toBe(3004);
  expect(await readings(store)).toBeLessThan(1010);
  const handle = await store.open(id, { mode: "resume" });
  await handle.append(eventsOf(3001, 5));
  await handle.close();
  expect(await readings(store)).toBeLessThan(1010);

  const { view, starts } = await readRun(store, id);
  const whole = await readView(id, store.read(id));
  expect(JSON.stringify(view)).toBe(JSON.stringify(whole));
  expect([...view.tasks]).toEqual([...whole.tasks]);
  expect([...view.visits]).toEqual([...whole.visits]);
  expect([...(view.agentSessions.get("main") ?? [])]).toEqual([["a", "s1"]]);
  expect([...(view.spending.begun.get("plan#1") ?? [])]).toEqual([["plan#1 1", true]]);
  expect(view.options).toEqual({ $map: [1], x: { $y: 2 } });
  expect(starts).toMatchObject([{ seq: 1, type: "run.started" }]);
});

/** With the checksum of what is there now. */
function signed(text: string): string {
  const body = text.slice(0, text.lastIndexOf("\n"));
  return `${body}\n${checksum(body)}`;
}

test.each([
  ["torn", (text: string) => text.slice(0, -100)],
  ["empty", () => ""],
  ["of another version", (text: string) => signed(text.replace(/"head":"\d+ /, '"head":"99 '))],
  ["changed by hand", (text: string) => text.replace('"workflow":"w"', '"workflow":"x"')],
  ["not JSON", () => signed("hello\nworld")],
  ["forged, with an invalid list of tasks", (text: string) => signed(text.replace(/"tasks":\{/, '"tasks":7,"x":{'))],
  ["forged, with starts that are not events", (text: string) => signed(text.replace(/"starts":\[/, '"starts":[1,'))],
])("a snapshot that is %s is passed over and written anew", async (_, change) => {
  const store = await longRun();
  await readRun(store, id);
  const file = store.folder(id).view;
  const text = readFileSync(file, "utf8");
  writeFileSync(file, change(text));

  expect((await readRun(store, id)).view.workflow).toBe("w");
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("a snapshot of another record is skipped", async () => {
  const [store, other] = [await longRun(), await longRun()];
  await readRun(other, id);
  const handle = await store.open(id, { mode: "resume" });
  await handle.append([{ type: "run.finished", outcome: "completed", at: 1_800_000_000_000 }]);
  await handle.close();
  const taken = readFileSync(other.folder(id).view, "utf8");
  // One that knows more than there is on record.
  await store.remove(id);
  createSessionFolder(store.folder(id));
  const again = await store.open(id, { mode: "create" });
  await again.append([{ type: "run.started", resumed: false, workflow: "new", at: 1_700_000_000_001 }]);
  await again.close();
  writeFileSync(store.folder(id).view, taken);

  expect((await readRun(store, id)).view.workflow).toBe("new");
});

test("a short run keeps no snapshot", async () => {
  const store = new CountingStore({ dir: mkdtempSync(join(tmpdir(), "views-")) });
  createSessionFolder(store.folder(id));
  const handle = await store.open(id, { mode: "create" });
  await handle.append(eventsOf(1, 90));
  await handle.close();
  await readRun(store, id);
  expect(existsSync(store.folder(id).view)).toBe(false);
  expect(statSync(store.folder(id).dir).isDirectory()).toBe(true);
});
