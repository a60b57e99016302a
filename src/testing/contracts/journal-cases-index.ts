// Contract cases: what a store shows about runs without reading their events, and what closing a store does.

import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { IndexEntry, JournalStore, ListOptions } from "../../journal/port.ts";
import { batch, checkNumbered, closedRun, appendNumbered, journalCase, readAll, refuses } from "./journal-harness.ts";
import type { JournalContractCase } from "./journal-harness.ts";

/** Creates a closed run of one event. Each run has a different time of its last append. */
async function shownRun(store: JournalStore, run: string, entry: IndexEntry): Promise<void> {
  const handle = await store.open(run, { mode: "create" });
  await handle.append(batch(1, 1), entry);
  await handle.close();
  // Lists are ordered by the time of the last append, in whole milliseconds.
  for (const start = Date.now(); Date.now() <= start;) await new Promise((resolve) => setImmediate(resolve));
}

async function names(store: JournalStore, options?: ListOptions): Promise<string[]> {
  return (await store.list(options)).runs.map(({ run }) => run);
}

export const indexCases: readonly JournalContractCase[] = [
  journalCase(
    "a run is listed with the entry of its last append, in every process and across owners",
    async ({ store }) => {
      const handle = await store().open("run", { mode: "create" });
      strictEqual((await store().info("run")).status, undefined);
      await handle.append(batch(1, 1), { status: "running", dueAt: undefined });
      strictEqual((await store().info("run")).status, "running");
      // An append without an entry changes nothing.
      await handle.append(batch(2, 1));
      strictEqual((await store().info("run")).status, "running");
      await handle.append(batch(3, 1), { status: "paused", dueAt: 1_900_000_000_000 });
      await handle.close();
      for (let round = 0; round < 2; round++) {
        const { status, dueAt } = await store().info("run");
        deepStrictEqual({ status, dueAt }, { status: "paused", dueAt: 1_900_000_000_000 });
        await (await store().open("run", { mode: "resume" })).close();
      }
      const next = await store().open("run", { mode: "resume" });
      await next.append(batch(4, 1), { status: "completed", dueAt: undefined });
      await next.close();
      const { status, dueAt } = await store().info("run");
      deepStrictEqual({ status, dueAt }, { status: "completed", dueAt: undefined });
    },
  ),

  journalCase("a replaced owner can't change what is listed", async ({ store }) => {
    const old = await store().open("run", { mode: "create" });
    await old.append(batch(1, 1), { status: "running", dueAt: undefined });
    const current = await store().open("run", { mode: "resume", takeOver: true });
    await refuses("OWNER_LOST", () => old.append(batch(2, 1), { status: "failed", dueAt: 5 }));
    const { status, dueAt } = await store().info("run");
    deepStrictEqual({ status, dueAt }, { status: "running", dueAt: undefined });
    await current.close();
  }),

  journalCase("a list is filtered by status and by due time, the newest first", async ({ store }) => {
    await shownRun(store(), "a", { status: "paused", dueAt: 3000 });
    await shownRun(store(), "b", { status: "completed", dueAt: undefined });
    await shownRun(store(), "c", { status: "paused", dueAt: 1000 });
    await shownRun(store(), "d", { status: "failed", dueAt: undefined });
    await closedRun(store(), "e", 1);

    deepStrictEqual(await names(store()), ["e", "d", "c", "b", "a"]);
    // A run with an unknown status may match any filter.
    deepStrictEqual(await names(store(), { status: ["paused"] }), ["e", "c", "a"]);
    deepStrictEqual(await names(store(), { status: ["failed", "completed"] }), ["e", "d", "b"]);
    deepStrictEqual(await names(store(), { dueBy: 999 }), []);
    deepStrictEqual(await names(store(), { dueBy: 1000 }), ["c"]);
    deepStrictEqual(await names(store(), { dueBy: 5000, status: ["paused"] }), ["c", "a"]);
    deepStrictEqual(await names(store(), { dueBy: 5000, status: ["failed"] }), []);
  }),

  journalCase("a list of owned runs has those that a process opened, and no others", async ({ store }) => {
    await shownRun(store(), "a", { status: "paused", dueAt: undefined });
    const held = await store().open("b", { mode: "create" });
    await held.append(batch(1, 1), { status: "running", dueAt: undefined });
    const again = await store().open("a", { mode: "resume" });
    deepStrictEqual((await names(store(), { isOwned: true })).toSorted(), ["a", "b"]);
    await again.close();
    deepStrictEqual(await names(store(), { isOwned: true }), ["b"]);
    await held.close();
    deepStrictEqual(await names(store(), { isOwned: true }), []);
  }),

  journalCase("a list is read page by page, each run once", async ({ store }) => {
    const runs = ["a", "b", "c", "d", "e"];
    for (const run of runs) await shownRun(store(), run, { status: "paused", dueAt: undefined });
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
      const page = await store().list({ limit: 2, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.runs.map(({ run }) => run));
      cursor = page.next;
    }
    deepStrictEqual({ seen, pages }, { seen: runs.toReversed(), pages: 3 });
    strictEqual((await store().list({ limit: 5 })).next, undefined);
    await refuses("USAGE", () => store().list({ cursor: "nonsense" }));
  }),

  journalCase("a run whose owner died before its first event can be created again", async ({ store }) => {
    await (await store().open("run", { mode: "create" })).close();
    const again = await store().open("run", { mode: "create" });
    strictEqual(again.lastSeq, 0);
    await refuses("RUN_OWNED", () => store().open("run", { mode: "create" }));
    await appendNumbered(again, 2);
    await again.close();
    await refuses("RUN_EXISTS", () => store().open("run", { mode: "create" }));
    checkNumbered(await readAll(store(), "run"), 1, 2);
  }),

  journalCase("closing a store closes its own runs only", async ({ store }) => {
    const other = await store().open("other", { mode: "create" });
    const closing = store();
    const handle = await closing.open("run", { mode: "create" });
    await appendNumbered(handle, 1);
    await closing.close();
    await closing.close();
    const next = await store().open("run", { mode: "resume" });
    await appendNumbered(next, 1);
    await next.close();
    checkNumbered(await readAll(store(), "run"), 1, 2);
    await other.close();
  }),
];
