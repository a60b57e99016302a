// What readers of a run report when its store fails while they wait for more. The reader gets the error, and no one else:
// a rejection without a handler would fail the test, and end the program.

import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDeferred } from "../lib/deferred.ts";
import { AtomicError } from "../lib/errors.ts";
import { systemClock } from "../lib/clock.ts";
import type { StoredEvent } from "../journal/port.ts";
import { MemorySaver } from "../journal/memory.ts";
import { JournalRunStore } from "../workflows/sessions/journal-run-store.ts";
import { createRunReader } from "./runs-read.ts";

const id = "11111111-2222-4333-8444-555555555555";
const gone = new AtomicError("JOURNAL_UNREADABLE", "The database can't be reached.", { retryable: true });

/** A run that a process has, in a store that fails when it is told to. */
async function liveRun() {
  const journal = new MemorySaver();
  const store = new JournalRunStore({ journal, dir: mkdtempSync(join(tmpdir(), "reads-")) });
  const handle = await store.open(id, { mode: "create" });
  await handle.append([{ type: "run.started", resumed: false, workflow: "w" }]);
  return { store, reader: createRunReader(store, systemClock) };
}

test("a transcript that is followed reports that the store failed", async () => {
  const { store, reader } = await liveRun();
  const failing = createDeferred<readonly StoredEvent[]>();
  store.follow = async function* follow() {
    yield* await failing.promise;
  };
  const entries = reader.transcript(id, { signal: new AbortController().signal });
  const next = entries.next();
  failing.reject(gone);
  await expect(next).rejects.toBe(gone);
});

test("a run that is followed reports that its owner can't be looked up", async () => {
  const { store, reader } = await liveRun();
  const unprepared = new AtomicError("STORE_NOT_PREPARED", "The database has no tables.");
  store.info = () => Promise.reject(unprepared);
  const events = reader.follow(id, { from: 2, signal: new AbortController().signal });
  await expect(events.next()).rejects.toBe(unprepared);
});
