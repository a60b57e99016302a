// Contract cases: one owner per run, inside one process.

import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
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
  inTime,
} from "./journal-harness.ts";

export const ownerCases: readonly JournalContractCase[] = [
  journalCase("an open run is refused, with its owner and what to do", async ({ store }) => {
    const before = Date.now();
    const owner = await store().open("run", { mode: "create" });
    const error = await refuses("RUN_OWNED", () => store().open("run", { mode: "resume" }));
    match(error.message, /process/);
    match(error.message, /Pause it first/);
    const since = /since (\S+Z)/.exec(error.message)?.[1] ?? "";
    strictEqual(Date.parse(since) >= before - 1000 && Date.parse(since) <= Date.now(), true, error.message);
    await refuses("RUN_OWNED", () => store().open("run", { mode: "create" }));
    await appendNumbered(owner, 1);
    await owner.close();
    checkNumbered(await readAll(store(), "run"), 1, 1);
  }),

  journalCase("exactly one of many concurrent opens gets the run", async ({ store }) => {
    for (const mode of ["create", "resume"] as const) {
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => store().open("run", { mode })));
      const handles = tries.flatMap((tried) => (tried.status === "fulfilled" ? [tried.value] : []));
      strictEqual(handles.length, 1, mode);
      for (const tried of tries)
        if (tried.status === "rejected") await refuses("RUN_OWNED", () => Promise.reject(tried.reason));
      await handles[0]?.close();
    }
  }),

  journalCase("a closed handle stores nothing more", async ({ store }) => {
    const handle = await store().open("run", { mode: "create" });
    await appendNumbered(handle, 1);
    await handle.close();
    await handle.close();
    await refuses("OWNER_LOST", () => handle.append(batch(2, 1)));
    await refuses("OWNER_LOST", () => handle.saveSnapshot({ seq: 1, body: null }));
    const next = await store().open("run", { mode: "resume" });
    await refuses("OWNER_LOST", () => handle.append(batch(2, 1)));
    await appendNumbered(next, 1);
    // Closing the old handle again does not affect the new one.
    await handle.close();
    await appendNumbered(next, 1);
    await next.close();
    checkNumbered(await readAll(store(), "run"), 1, 3);
  }),

  journalCase("a replaced owner is notified and stores nothing", async ({ store }) => {
    const old = await store().open("run", { mode: "create" });
    await appendNumbered(old, 3);
    const current = await store().open("run", { mode: "resume", takeOver: true });
    strictEqual(current.lastSeq, 3);
    const error = await refuses("OWNER_LOST", () => old.append([{ type: "late.write" }]));
    match(error.message, /run/);
    await appendNumbered(current, 2);
    await refuses("OWNER_LOST", () => old.append([{ type: "late.write" }]));
    await refuses("OWNER_LOST", () => old.saveSnapshot({ seq: 3, body: "stale" }));
    await refuses("OWNER_LOST", () => old.acknowledge("1"));
    await old.close();
    await appendNumbered(current, 1);
    await current.close();
    checkNumbered(await readAll(store(), "run"), 1, 6);
    const last = await store().open("run", { mode: "resume" });
    strictEqual(last.snapshot, undefined);
    checkNumbered(await collect(last.history), 1, 6);
    await last.close();
  }),

  journalCase("a replaced owner is notified while it appends nothing", async ({ store }) => {
    const old = await store().open("run", { mode: "create" });
    await appendNumbered(old, 1);
    strictEqual(old.lost.aborted, false);
    const lost = new Promise((resolve) => old.lost.addEventListener("abort", resolve, { once: true }));
    const current = await store().open("run", { mode: "resume", takeOver: true });
    await inTime(5000, "the signal that the run is lost", lost);
    await refuses("OWNER_LOST", () => Promise.reject(old.lost.reason));
    strictEqual(current.lost.aborted, false);
    await old.close();
    await appendNumbered(current, 1);
    await current.close();
    // Closing a handle is not losing the run.
    strictEqual(current.lost.aborted, false);
  }),

  journalCase("a run can be taken over many times in a row", async ({ store }) => {
    let handle = await store().open("run", { mode: "create" });
    for (let round = 0; round < 6; round++) {
      await appendNumbered(handle, 1);
      const next = await store().open("run", { mode: "resume", takeOver: true });
      await refuses("OWNER_LOST", () => handle.append(batch(round + 2, 1)));
      handle = next;
    }
    await handle.close();
    checkNumbered(await readAll(store(), "run"), 1, 6);
    strictEqual((await store().info("run")).owner, "none");
  }),

  journalCase(
    "an owner whose process died does not block a resume",
    async ({ store, killOwners }) => {
      const handle = await store().open("run", { mode: "create" });
      await appendNumbered(handle, 2);
      killOwners?.();
      const next = await store().open("run", { mode: "resume" });
      checkNumbered(await collect(next.history), 1, 2);
      await refuses("OWNER_LOST", () => handle.append(batch(3, 1)));
      await next.close();
    },
    "killOwners",
  ),

  journalCase("resuming leaves the events of a closed run as they are", async ({ store }) => {
    await closedRun(store(), "run", 3);
    const before = await readAll(store(), "run");
    for (let round = 0; round < 3; round++) await (await store().open("run", { mode: "resume" })).close();
    deepStrictEqual(await readAll(store(), "run"), before);
  }),
];
