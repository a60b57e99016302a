// Contract cases: requests to the owner, and following a run, inside one process.

import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { AtomicError } from "../../lib/errors.ts";
import type { PendingRequest, StoredEvent } from "../../journal/port.ts";
import {
  checkNumbered,
  closedRun,
  appendNumbered,
  journalCase,
  type JournalContractCase,
  refuses,
  settlesAtOnce,
  inTime,
} from "./journal-harness.ts";

const longEnoughMs = 5000;

/** Takes `count` items and leaves the iterator open. */
async function take<T>(iterator: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  while (taken.length < count) {
    const { done, value } = await inTime(longEnoughMs, `item ${taken.length + 1} of ${count}`, iterator.next());
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

function withoutId({ id, ...request }: PendingRequest): object {
  strictEqual(typeof id, "string");
  return request;
}

export const liveCases: readonly JournalContractCase[] = [
  journalCase("requests arrive in order, those from before the run was opened first", async ({ store }) => {
    await closedRun(store(), "run", 1);
    const answer = { type: "answer", question: "q1", value: { text: "ä ✓", list: [1, null] } } as const;
    const earlier = Array.from({ length: 12 }, (_, i) => (i % 3 === 0 ? answer : ({ type: "pause" } as const)));
    for (const request of earlier) await store().request("run", request);
    const handle = await store().open("run", { mode: "resume" });
    const stop = new AbortController();
    const requests = handle.requests(stop.signal)[Symbol.asyncIterator]();
    deepStrictEqual((await handle.pending()).map(withoutId), earlier);
    deepStrictEqual((await take(requests, 12)).map(withoutId), earlier);
    const later = requests.next();
    await store().request("run", { type: "cancel" });
    deepStrictEqual(withoutId((await inTime(longEnoughMs, "the request", later)).value as PendingRequest), {
      type: "cancel",
    });
    stop.abort();
    strictEqual((await requests.next()).done, true);
    await handle.close();
  }),

  journalCase("pending requests are read without ownership, until they are acknowledged", async ({ store }) => {
    await refuses("RUN_NOT_FOUND", () => store().pending("run"));
    await (await store().open("run", { mode: "create" })).close();
    deepStrictEqual(await store().pending("run"), []);
    const asked = [
      { type: "answer", question: "q", value: { a: ["\u0000"] } },
      { type: "answer", question: "q", key: "ask#2", value: [], isDeclined: true },
      { type: "pause" },
    ] as const;
    for (const request of asked) await store().request("run", request);
    deepStrictEqual((await store().pending("run")).map(withoutId), asked);
    const handle = await store().open("run", { mode: "resume" });
    deepStrictEqual(await store().pending("run"), await handle.pending());
    for (const { id } of await handle.pending()) await handle.acknowledge(id);
    await handle.close();
    deepStrictEqual(await store().pending("run"), []);
  }),

  journalCase("a request comes back until it is acknowledged, and only to its own run", async ({ store }) => {
    await closedRun(store(), "run", 1);
    await closedRun(store(), "other", 1);
    await store().request("run", { type: "pause" });
    await store().request("run", { type: "cancel" });
    for (const expected of [["pause", "cancel"], ["cancel"]]) {
      const handle = await store().open("run", { mode: "resume" });
      const stop = new AbortController();
      const seen = await take(handle.requests(stop.signal)[Symbol.asyncIterator](), expected.length);
      deepStrictEqual(
        seen.map(({ type }) => type),
        expected,
      );
      await handle.acknowledge(seen[0]!.id);
      // An unknown id is not an error: two handlers of the same request may both acknowledge it.
      await handle.acknowledge(seen[0]!.id);
      stop.abort();
      await handle.close();
    }
    const other = await store().open("other", { mode: "resume" });
    const stop = new AbortController();
    const nothing = other.requests(stop.signal)[Symbol.asyncIterator]().next();
    stop.abort();
    strictEqual((await nothing).done, true);
    await other.close();
  }),

  journalCase("waiting for requests ends at once on an abort, and when the handle is closed", async ({ store }) => {
    const handle = await store().open("run", { mode: "create" });
    const stop = new AbortController();
    const aborted = handle.requests(stop.signal)[Symbol.asyncIterator]().next();
    const closed = handle.requests(new AbortController().signal)[Symbol.asyncIterator]().next();
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await settlesAtOnce(aborted, "requests() after an abort");
    strictEqual((await aborted).done, true);
    await handle.close();
    await settlesAtOnce(closed, "requests() after close()");
    strictEqual((await closed).done, true);
  }),

  journalCase("following gives what is stored, then what is appended, across several owners", async ({ store }) => {
    let handle = await store().open("run", { mode: "create" });
    await appendNumbered(handle, 3, 2);
    const stop = new AbortController();
    const follower = store().follow("run", { from: 2, signal: stop.signal })[Symbol.asyncIterator]();
    const events: StoredEvent[] = await take(follower, 2);
    for (let round = 0; round < 3; round++) {
      const waiting = take(follower, 4);
      await appendNumbered(handle, 2);
      if (round === 0) await handle.close();
      handle = await store().open("run", { mode: "resume", takeOver: round > 0 });
      await appendNumbered(handle, 2, 2);
      events.push(...(await waiting));
    }
    checkNumbered(events, 2, 15);
    stop.abort();
    strictEqual((await follower.next()).done, true);
    await handle.close();
  }),

  journalCase("following from beyond the end starts when the run gets there", async ({ store }) => {
    const handle = await store().open("run", { mode: "create" });
    await appendNumbered(handle, 1);
    const stop = new AbortController();
    const follower = store().follow("run", { from: 4, signal: stop.signal })[Symbol.asyncIterator]();
    const waiting = take(follower, 2);
    await appendNumbered(handle, 4, 2);
    checkNumbered(await waiting, 4, 5);
    stop.abort();
    await handle.close();
  }),

  journalCase("following ends at once on an abort", async ({ store }) => {
    await closedRun(store(), "run", 1);
    const stop = new AbortController();
    const follower = store().follow("run", { signal: stop.signal })[Symbol.asyncIterator]();
    await take(follower, 1);
    const waiting = follower.next();
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await settlesAtOnce(waiting, "follow() after an abort");
    strictEqual((await waiting).done, true);

    const already = store().follow("run", { signal: stop.signal })[Symbol.asyncIterator]();
    strictEqual((await already.next()).done, true);
  }),

  journalCase("following reports that the run was removed", async ({ store }) => {
    await closedRun(store(), "run", 1);
    const follower = store().follow("run", { signal: new AbortController().signal })[Symbol.asyncIterator]();
    await take(follower, 1);
    const waiting = inTime(longEnoughMs, "the end", follower.next());
    await store().remove("run");
    await rejects(waiting, (error) => AtomicError.is(error, "RUN_NOT_FOUND"));
    await refuses("RUN_NOT_FOUND", () => store().info("run"));
  }),
];
