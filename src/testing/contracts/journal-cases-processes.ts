// Contract cases: real second processes, really killed.

import { deepStrictEqual, fail, match, ok, strictEqual } from "node:assert/strict";
import { JournalChild } from "./journal-child-process.ts";
import type { ChildTask } from "./journal-child.ts";
import {
  batch,
  checkNumbered,
  closedRun,
  collect,
  appendNumbered,
  journalCase,
  type JournalContractCase,
  type JournalHarness,
  readAll,
  refuses,
} from "./journal-harness.ts";

const kills = 8;
const batchSize = 3;

type Start = (task: ChildTask, prefix?: readonly string[]) => JournalChild;

/** A case with child processes, which are killed when it ends or fails. */
function processCase(
  name: string,
  body: (harness: JournalHarness, start: Start) => Promise<void>,
  needs: "child" | "limitedChild" = "child",
): JournalContractCase {
  const run = async (harness: JournalHarness): Promise<void> => {
    const children: JournalChild[] = [];
    const start: Start = (task, prefix) => {
      const child = new JournalChild(harness[needs] ?? fail("the harness has no child program"), task, prefix);
      children.push(child);
      return child;
    };
    try {
      await body(harness, start);
    } finally {
      for (const child of children) await child.kill();
    }
  };
  return journalCase(name, run, needs);
}

async function race(start: Start, mode: "create" | "resume"): Promise<void> {
  const children = Array.from({ length: 4 }, () => start({ do: "hold", run: "run", mode }));
  await Promise.all(children.map((child) => child.expect()));
  for (const child of children) child.go();
  const answers = await Promise.all(children.map((child) => child.expect()));
  strictEqual(answers.filter(({ opened }) => opened !== undefined).length, 1, JSON.stringify(answers));
  strictEqual(answers.filter(({ refused }) => refused === "RUN_OWNED").length, 3, JSON.stringify(answers));
  await Promise.all(children.map((child) => child.end()));
}

export const processCases: readonly JournalContractCase[] = [
  processCase(
    "after kill -9 everything acknowledged is stored, and no append is incomplete",
    async (harness, start) => {
      let acknowledged = 0;
      for (let round = 0; round < kills; round++) {
        const mode = round === 0 ? "create" : "resume";
        const child = start({ do: "append", run: "run", mode, batch: batchSize, size: 400 });
        const opened = await child.expect();
        ok(opened.opened !== undefined && opened.opened >= acknowledged, JSON.stringify(opened));
        // Some are killed at their first record, some in the middle of a stream of them.
        for (let left = (round * 7) % 23; left > 0; left--)
          acknowledged = (await child.expect()).stored ?? fail("not stored");
        await child.kill();
        for (const message of await child.rest()) acknowledged = message.stored ?? acknowledged;

        const handle = await harness.store().open("run", { mode: "resume" });
        ok(handle.lastSeq >= acknowledged, `acknowledged up to ${acknowledged}, found ${handle.lastSeq}`);
        strictEqual(handle.lastSeq % batchSize, 0, "half an append is there");
        checkNumbered(await collect(handle.history), (handle.snapshot?.seq ?? 0) + 1, handle.lastSeq);
        if (handle.snapshot !== undefined) strictEqual(handle.snapshot.body, handle.snapshot.seq);
        acknowledged = handle.lastSeq;
        await handle.close();
        checkNumbered(await readAll(harness.store(), "run"), 1, acknowledged);
      }
      ok(acknowledged > kills * batchSize, `only ${acknowledged} events were stored`);
    },
  ),

  processCase("a run with a live owner in another process is refused, and the owner named", async (harness, start) => {
    await closedRun(harness.store(), "run", 2);
    const child = start({ do: "hold", run: "run", mode: "resume" });
    await child.expect();
    child.go();
    strictEqual((await child.expect()).opened, 2);
    const error = await refuses("RUN_OWNED", () => harness.store().open("run", { mode: "resume" }));
    match(error.message, new RegExp(`process ${child.pid}\\b.*\\bhost \\S+.*since \\d{4}-.*Pause it first`));
    await refuses("RUN_OWNED", () => harness.store().remove("run"));
    const { owner, ownedBy } = await harness.store().info("run");
    deepStrictEqual({ owner, pid: ownedBy?.pid }, { owner: "alive", pid: child.pid });
    ok(ownedBy !== undefined && ownedBy.host !== "" && ownedBy.since > 1.6e12, JSON.stringify(ownedBy));
    strictEqual(await child.end(), 0);
    strictEqual((await harness.store().info("run")).owner, "none");
    await (await harness.store().open("run", { mode: "resume" })).close();
  }),

  processCase("an owner that was killed is seen as dead, and its run can be removed", async (harness, start) => {
    const child = start({ do: "append", run: "run", mode: "create", batch: 1, size: 40 });
    await child.expect();
    await child.expect();
    await child.kill();
    const { owner, ownedBy, lastSeq } = await harness.store().info("run");
    deepStrictEqual({ owner, pid: ownedBy?.pid }, { owner: "dead", pid: child.pid });
    ok(lastSeq >= 1);
    await harness.store().remove("run");
    deepStrictEqual((await harness.store().list()).runs, []);
  }),

  processCase(
    "exactly one of several processes that create or take over a run at once gets it",
    async (harness, start) => {
      await race(start, "create");
      const dead = start({ do: "step", run: "run", mode: "resume" });
      await dead.expect();
      await dead.kill();
      await race(start, "resume");
    },
  ),

  processCase("an owner that was stopped and replaced can't write when it wakes up", async (harness, start) => {
    const child = start({ do: "step", run: "run", mode: "create" });
    await child.expect();
    child.go();
    strictEqual((await child.expect()).stored, 1);
    // Stopped between two appends: inside one it could hold a lock that blocks everyone else.
    process.kill(child.pid, "SIGSTOP");
    const handle = await harness.store().open("run", { mode: "resume", takeOver: true });
    await appendNumbered(handle, 3);
    process.kill(child.pid, "SIGCONT");
    child.go();
    strictEqual((await child.expect()).refused, "OWNER_LOST");
    await child.end();
    await appendNumbered(handle, 1);
    await handle.close();
    checkNumbered(await readAll(harness.store(), "run"), 1, 5);
  }),

  processCase("an owner that was stopped and replaced is notified when it wakes up", async (harness, start) => {
    const child = start({ do: "watch", run: "run" });
    await child.expect();
    process.kill(child.pid, "SIGSTOP");
    const handle = await harness.store().open("run", { mode: "resume", takeOver: true });
    process.kill(child.pid, "SIGCONT");
    strictEqual((await child.expect()).refused, "OWNER_LOST");
    strictEqual(await child.end(), 0);
    await appendNumbered(handle, 1);
    await handle.close();
  }),

  processCase("a run that is being written to is never mistaken for damaged", async (harness, start) => {
    const writer = start({ do: "append", run: "run", mode: "create", batch: 1, size: 40 });
    await writer.expect();
    let seen = 0;
    for (let looks = 0; looks < 500; looks++) {
      const { lastSeq } = await harness.store().info("run");
      ok(lastSeq >= seen, `record ${seen} was there, and now the last one is ${lastSeq}`);
      seen = lastSeq;
    }
    await writer.kill();
    ok(seen > 0, "nothing was written meanwhile");
  }),

  processCase("another process follows a run live, across a kill and a new owner", async (harness, start) => {
    const first = start({ do: "append", run: "run", mode: "create", batch: batchSize, size: 40 });
    await first.expect();
    const follower = start({ do: "follow", run: "run", from: 2, last: 60 });
    await follower.expect();
    for (let seq = 0; seq < 30;) seq = (await first.expect()).stored ?? 0;
    await first.kill();
    const second = await harness.store().open("run", { mode: "resume" });
    await second.append(batch(second.lastSeq + 1, 60));
    const followed = await follower.rest();
    strictEqual(await follower.end(), 0);
    deepStrictEqual(
      followed,
      Array.from({ length: 59 }, (_, i) => ({ seq: i + 2, n: i + 2 })),
    );
    await second.close();
  }),

  processCase("requests reach a run in another process, and come from one", async (harness, start) => {
    await closedRun(harness.store(), "run", 1);
    const owner = start({ do: "serve", run: "run" });
    await owner.expect();
    const answer = { type: "answer", question: "q ✓", value: { yes: true } } as const;
    await harness.store().request("run", answer);
    deepStrictEqual(await owner.expect(), { request: answer });
    for (const type of ["pause", "cancel"] as const) {
      const asker = start({ do: "request", run: "run", request: { type } });
      strictEqual(await asker.end(), 0);
      deepStrictEqual(await owner.expect(), { request: { type } });
    }
    strictEqual(await owner.end(), 0);

    const next = await harness.store().open("run", { mode: "resume" });
    const stop = new AbortController();
    const left = next.requests(stop.signal)[Symbol.asyncIterator]().next();
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    strictEqual((await left).done, true, "an acknowledged request came back");
    await next.close();
  }),

  processCase("waiting for requests does not keep a process alive", async (harness, start) => {
    await closedRun(harness.store(), "run", 1);
    const child = start({ do: "idle", run: "run" });
    await child.expect();
    strictEqual(await child.end(), 0);
    const handle = await harness.store().open("run", { mode: "resume" });
    await handle.close();
  }),

  processCase(
    "a write that does not fit stops the run with an error and keeps what was stored",
    async (harness, start) => {
      // Files of this child may not grow beyond 96 KiB, which acts like a full disk.
      const limit = ["/bin/sh", "-c", 'trap "" XFSZ; ulimit -f 192; exec "$@"', "sh"];
      const child = start({ do: "append", run: "run", mode: "create", batch: 2, size: 1000 }, limit);
      await child.expect();
      const messages = await child.rest();
      await child.end();
      const refusal = messages.findIndex(({ refused }) => refused !== undefined);
      strictEqual(messages[refusal]?.refused, "JOURNAL_WRITE_FAILED", JSON.stringify(messages[refusal]));
      const before = messages[refusal - 1]?.stored ?? fail("nothing was stored before the limit");
      match(messages[refusal].message ?? "", new RegExp(`record ${before}\\b`));
      const stored = messages.findLast((message) => message.stored !== undefined)?.stored ?? before;

      const handle = await harness.store().open("run", { mode: "resume" });
      strictEqual(handle.lastSeq, stored);
      checkNumbered(await collect(handle.history), (handle.snapshot?.seq ?? 0) + 1, stored);
      await handle.append(batch(stored + 1, 2));
      await handle.close();
      checkNumbered(await readAll(harness.store(), "run"), 1, stored + 2);
    },
    "limitedChild",
  ),
];
