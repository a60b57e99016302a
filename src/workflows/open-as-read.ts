// A run is read before it is opened: what was spent and done so far decides how it continues. Another process may have
// had it in between; then what was read is out of date, and it is read again.

import type { JournalStore } from "../journal/port.ts";
import { AtomicError } from "../lib/errors.ts";

type Opener = Pick<JournalStore, "open" | "remove">;

class OutOfDate extends AtomicError {}

/** `lastSeq`: of the last event that was read; undefined for a new run. */
export function openAsRead(store: Opener, lastSeq: number | undefined): Opener {
  return {
    async open(run, options) {
      const handle = await store.open(run, options);
      if (lastSeq === undefined || handle.lastSeq === lastSeq) return handle;
      await handle.close();
      throw new OutOfDate("RUN_OWNED", `Another process has just worked on run ${run}. Resume it again.`);
    },
    remove: (run) => store.remove(run),
  };
}

/** `work` reads and opens. Where the run changes each time, other processes work on it: that is then the error. */
export async function readAgainIfOutOfDate<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof OutOfDate)) throw thrown;
    return work();
  }
}
