// Where a run "crashes" for a test: after a number of records nothing more can be stored, and what is there is what a
// killed process would have left. Used by `atomic test` and `crashEverywhere`.

import { AtomicError } from "../lib/errors.ts";
import type { JournalHandle } from "../journal/port.ts";

export class CrashPoint {
  /** Records that can still be stored. */
  #left = Number.POSITIVE_INFINITY;
  #records = 0;

  /** Crashes once this many more records are stored. */
  crashAfter(records: number): void {
    this.#left = records;
  }

  /** The process is gone; the next one can store again. */
  restart(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }

  /** How many were stored. */
  get records(): number {
    return this.#records;
  }

  get hasCrashed(): boolean {
    return this.#left <= 0;
  }

  /** The same handle, which can't write after the crash. */
  guard(handle: JournalHandle): JournalHandle {
    const refuse = (): void => {
      if (!this.hasCrashed) return;
      const text = `Run ${handle.run} crashes here on purpose, after its record ${this.#records}.`;
      throw new AtomicError("JOURNAL_WRITE_FAILED", text);
    };
    return {
      run: handle.run,
      snapshot: handle.snapshot,
      history: handle.history,
      lost: handle.lost,
      // How many steps share a write depends on their timing, and a crash between two of them is a separate case.
      storesStepsApart: true,
      get lastSeq() {
        return handle.lastSeq;
      },
      get bytesWritten() {
        return handle.bytesWritten;
      },
      append: (events, entry) => {
        refuse();
        const stored = handle.append(events, entry);
        this.#records++;
        this.#left--;
        return stored;
      },
      // A snapshot is lost rather than refused, so that what begins after it still happens before the crash.
      saveSnapshot: (snapshot) => (this.hasCrashed ? undefined : handle.saveSnapshot(snapshot)),
      acknowledge: (id) => {
        refuse();
        return handle.acknowledge(id);
      },
      requests: (signal) => handle.requests(signal),
      pending: () => handle.pending(),
      close: () => handle.close(),
    };
  }
}
