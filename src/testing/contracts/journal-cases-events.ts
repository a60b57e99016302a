// Contract cases: events, snapshots, ids, lists.

import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  batch,
  checkNumbered,
  closedRun,
  collect,
  appendNumbered,
  journalCase,
  type JournalContractCase,
  readAll,
  refuses,
} from "./journal-harness.ts";

export const eventCases: readonly JournalContractCase[] = [
  journalCase("a new run is empty and numbers its events from 1", async ({ store }) => {
    const handle = await store().open("run", { mode: "create" });
    strictEqual(handle.run, "run");
    strictEqual(handle.lastSeq, 0);
    strictEqual(handle.snapshot, undefined);
    deepStrictEqual(await collect(handle.history), []);

    const stored = await handle.append(batch(1, 2));
    checkNumbered(stored, 1, 2);
    strictEqual(handle.lastSeq, 2);
    checkNumbered(await handle.append(batch(3, 1)), 3, 3);
    await handle.close();
  }),

  journalCase("what was appended is read back unchanged, by the next owner and by readers", async ({ store }) => {
    const events = [
      {
        type: "a.happened",
        text: 'ä ✓ \u{1f600} \u0000 \u2028 "quoted" \\ \ud800',
        number: 1.5e-7,
        list: [[], {}, null],
      },
      { type: "b.happened", at: 12345, nested: { deep: { deeper: [true, false] } }, "": "empty key" },
    ];
    const handle = await store().open("run", { mode: "create" });
    const returned = await handle.append(events);
    await handle.close();

    const expected = events.map((event, i) => ({ ...event, seq: i + 1, at: event.at ?? returned[i]?.at }));
    deepStrictEqual(returned, expected);
    deepStrictEqual(await readAll(store(), "run"), expected);
    const next = await store().open("run", { mode: "resume" });
    deepStrictEqual(await collect(next.history), expected);
    strictEqual(next.lastSeq, 2);
    await next.close();
  }),

  journalCase("an empty append stores nothing", async ({ store }) => {
    const handle = await store().open("run", { mode: "create" });
    deepStrictEqual(await handle.append([]), []);
    strictEqual(handle.lastSeq, 0);
    await handle.close();
    deepStrictEqual(await readAll(store(), "run"), []);
  }),

  journalCase("changing an event after its append does not change the record", async ({ store }) => {
    const list = [1];
    const handle = await store().open("run", { mode: "create" });
    await handle.append([{ type: "list.made", list }]);
    list.push(2);
    await handle.close();
    deepStrictEqual((await readAll(store(), "run"))[0]?.["list"], [1]);
  }),

  journalCase("numbers continue across many owners, and events may be large", async ({ store }) => {
    for (let round = 0; round < 4; round++) {
      const handle = await store().open("run", { mode: round === 0 ? "create" : "resume" });
      strictEqual(handle.lastSeq, round * 3);
      checkNumbered(await collect(handle.history), 1, round * 3);
      await handle.append(batch(round * 3 + 1, 2));
      await handle.append(batch(round * 3 + 3, 1, 700_000));
      await handle.close();
    }
    checkNumbered(await readAll(store(), "run"), 1, 12);
  }),

  journalCase("reading starts at the requested event, even inside an append", async ({ store }) => {
    await closedRun(store(), "run", 10, 4);
    const next = await store().open("run", { mode: "resume" });
    await appendNumbered(next, 2);
    await next.close();
    for (const from of [1, 2, 4, 5, 10, 11, 12]) checkNumbered(await readAll(store(), "run", from), from, 12);
    deepStrictEqual(await readAll(store(), "run", 13), []);
    deepStrictEqual(await readAll(store(), "run", 1000), []);
  }),

  journalCase("history starts after the newest snapshot", async ({ store }) => {
    const handle = await store().open("run", { mode: "create" });
    await appendNumbered(handle, 5, 5);
    await handle.saveSnapshot({ seq: 5, body: { total: 5, text: "ä ✓" } });
    await appendNumbered(handle, 4, 4);
    await handle.saveSnapshot({ seq: 7, body: { total: 7 } });
    await handle.close();

    const next = await store().open("run", { mode: "resume" });
    deepStrictEqual(next.snapshot, { seq: 7, body: { total: 7 } });
    checkNumbered(await collect(next.history), 8, 9);
    strictEqual(next.lastSeq, 9);
    await next.close();
    checkNumbered(await readAll(store(), "run"), 1, 9);
  }),

  journalCase("snapshots of several owners replace each other, and history follows the last one", async ({ store }) => {
    for (let round = 1; round <= 5; round++) {
      const handle = await store().open("run", { mode: round === 1 ? "create" : "resume" });
      deepStrictEqual(handle.snapshot, round === 1 ? undefined : { seq: round * 2 - 3, body: [round - 1] });
      checkNumbered(await collect(handle.history), Math.max(round * 2 - 2, 1), round * 2 - 2);
      await appendNumbered(handle, 2);
      await handle.saveSnapshot({ seq: round * 2 - 1, body: [round] });
      await handle.close();
    }
  }),

  journalCase("a handle reports how much it wrote", async ({ store }) => {
    const handle = await store().open("run", { mode: "create" });
    await handle.append(batch(1, 1, 1000));
    const { events, snapshots } = handle.bytesWritten;
    ok(events >= 1000 && events < 1500, `${events} bytes for an event of 1000`);
    strictEqual(snapshots, 0);
    await handle.saveSnapshot({ seq: 1, body: "x".repeat(2000) });
    const after = handle.bytesWritten.snapshots;
    ok(after >= 2000 && after < 2500, `${after} bytes for a snapshot of 2000`);
    await handle.close();
  }),

  journalCase("runs are created once and found only when they exist", async ({ store }) => {
    await refuses("RUN_NOT_FOUND", () => store().open("run", { mode: "resume" }));
    await refuses("RUN_NOT_FOUND", () => readAll(store(), "run"));
    await refuses("RUN_NOT_FOUND", () => store().info("run"));
    await refuses("RUN_NOT_FOUND", () => store().request("run", { type: "pause" }));
    await refuses("RUN_NOT_FOUND", () => store().remove("run"));
    const { signal } = new AbortController();
    await refuses("RUN_NOT_FOUND", () => store().follow("run", { signal })[Symbol.asyncIterator]().next());
    deepStrictEqual(await store().list(), { runs: [], next: undefined });

    await closedRun(store(), "run", 1);
    await refuses("RUN_EXISTS", () => store().open("run", { mode: "create" }));
    await refuses("RUN_NOT_FOUND", () => store().open("other", { mode: "resume" }));
    checkNumbered(await readAll(store(), "run"), 1, 1);
  }),

  journalCase("every call refuses a name that is not an id", async ({ store }) => {
    const { signal } = new AbortController();
    for (const run of ["", ".", "..", "../run", "a/b", "a\\b", "a..b", "-rf", "a b", "x".repeat(129)]) {
      await refuses("RUN_ID_INVALID", () => store().open(run, { mode: "create" }));
      await refuses("RUN_ID_INVALID", () => store().open(run, { mode: "resume" }));
      await refuses("RUN_ID_INVALID", () => readAll(store(), run));
      await refuses("RUN_ID_INVALID", () => store().follow(run, { signal })[Symbol.asyncIterator]().next());
      await refuses("RUN_ID_INVALID", () => store().request(run, { type: "cancel" }));
      await refuses("RUN_ID_INVALID", () => store().info(run));
      await refuses("RUN_ID_INVALID", () => store().remove(run));
    }
    deepStrictEqual(await store().list(), { runs: [], next: undefined });
  }),

  journalCase(
    "runs are separate, listed with what is known of them, and removed without a trace",
    async ({ store }) => {
      await closedRun(store(), "first", 3);
      const second = await store().open("second", { mode: "create" });
      await second.append([{ type: "a.happened", at: 5000 }]);
      await second.append(batch(2, 1));
      await second.saveSnapshot({ seq: 2, body: 2 });

      const { runs: list } = await store().list();
      deepStrictEqual(
        list.map(({ run, owner, lastSeq }) => ({ run, owner, lastSeq })).toSorted((a, b) => (a.run < b.run ? -1 : 1)),
        [
          { run: "first", owner: "none", lastSeq: 3 },
          { run: "second", owner: "alive", lastSeq: 2 },
        ],
      );
      for (const info of list) {
        deepStrictEqual(await store().info(info.run), info);
        ok(info.createdAt > 1.6e12 && info.updatedAt >= info.createdAt, `odd times: ${JSON.stringify(info)}`);
        strictEqual(info.problem, undefined);
      }

      await refuses("RUN_OWNED", () => store().remove("second"));
      await second.close();
      await store().remove("second");
      await refuses("RUN_NOT_FOUND", () => store().info("second"));
      deepStrictEqual(
        (await store().list()).runs.map(({ run }) => run),
        ["first"],
      );
      checkNumbered(await readAll(store(), "first"), 1, 3);

      const again = await store().open("second", { mode: "create" });
      strictEqual(again.lastSeq, 0);
      strictEqual(again.snapshot, undefined);
      await again.close();
    },
  ),
];
