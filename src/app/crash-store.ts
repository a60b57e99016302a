// A store whose process "dies" after a number of records. Everything else is as in the store behind it.

import type { JournalHandle, JournalOpenOptions } from "../journal/port.ts";
import { CrashPoint } from "../workflows/crash-point.ts";
import type { RunStore } from "../workflows/sessions/run-store.ts";

export interface CrashStore extends RunStore {
  /** How many were stored. */
  readonly records: number;
}

export function createCrashStore(store: RunStore, after: number): CrashStore {
  const crash = new CrashPoint();
  crash.crashAfter(after);
  return {
    dir: store.dir,
    working: store.working,
    shelf: store.shelf,
    transcript: (run) => store.transcript(run),
    finishTranscript: (run) => store.finishTranscript(run),
    get records() {
      return crash.records;
    },
    open: async (run: string, options: JournalOpenOptions): Promise<JournalHandle> =>
      crash.guard(await store.open(run, options)),
    folder: (run) => store.folder(run),
    ids: () => store.ids(),
    localRuns: () => store.localRuns(),
    maybeOwned: () => store.maybeOwned(),
    read: (run, options) => store.read(run, options),
    follow: (run, options) => store.follow(run, options),
    request: (run, request) => store.request(run, request),
    pending: (run) => store.pending(run),
    info: (run) => store.info(run),
    list: (options) => store.list(options),
    remove: (run) => store.remove(run),
    close: () => store.close(),
  };
}
