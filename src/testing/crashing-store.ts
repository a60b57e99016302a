// A store in memory that "crashes" after a chosen record: what was stored stays, and nothing more can be. The engine
// then stops where a killed process would have stopped, and the run can be resumed from what is there.

import { MemorySaver } from "../journal/memory.ts";
import type { JournalHandle, JournalStore, OpenOptions, StoredEvent } from "../journal/port.ts";
import { AtomicError } from "../lib/errors.ts";

export class CrashingStore implements JournalStore {
  readonly #saver = new MemorySaver();
  /** Records that are still let through; undefined: all. */
  #left: number | undefined;
  #records = 0;

  /** Crashes once so many more records are stored. */
  crashAfter(records: number): void {
    this.#left = records;
  }

  /** The process is gone, and another one can take its runs. */
  restart(): void {
    this.#left = undefined;
    this.#saver.forgetOwners();
  }

  /** How many were stored. */
  get records(): number {
    return this.#records;
  }

  get hasCrashed(): boolean {
    return this.#left === 0;
  }

  async open(run: string, options: OpenOptions): Promise<JournalHandle> {
    const handle = await this.#saver.open(run, options);
    const guarded = <A extends unknown[], R>(write: (...args: A) => R) => {
      return (...args: A): R => {
        if (this.hasCrashed) throw crashed(run, this.#records);
        return write(...args);
      };
    };
    return {
      run,
      snapshot: handle.snapshot,
      history: handle.history,
      get lastSeq() {
        return handle.lastSeq;
      },
      get bytesWritten() {
        return handle.bytesWritten;
      },
      append: guarded((events) => {
        const stored = handle.append(events);
        this.#records++;
        if (this.#left !== undefined) this.#left--;
        return stored;
      }),
      // A snapshot is lost rather than refused, so that what begins after it still happens before the crash.
      saveSnapshot: (snapshot) => (this.hasCrashed ? undefined : handle.saveSnapshot(snapshot)),
      acknowledge: guarded((id) => handle.acknowledge(id)),
      requests: (signal) => handle.requests(signal),
      pending: () => handle.pending(),
      close: () => handle.close(),
    };
  }

  read(...args: Parameters<JournalStore["read"]>): AsyncIterable<StoredEvent> {
    return this.#saver.read(...args);
  }

  follow(...args: Parameters<JournalStore["follow"]>): AsyncIterable<StoredEvent> {
    return this.#saver.follow(...args);
  }

  request(...args: Parameters<JournalStore["request"]>): Promise<void> {
    return this.#saver.request(...args);
  }

  info(...args: Parameters<JournalStore["info"]>): ReturnType<JournalStore["info"]> {
    return this.#saver.info(...args);
  }

  list(): ReturnType<JournalStore["list"]> {
    return this.#saver.list();
  }

  remove(...args: Parameters<JournalStore["remove"]>): Promise<void> {
    return this.#saver.remove(...args);
  }
}

function crashed(run: string, records: number): AtomicError {
  return new AtomicError("JOURNAL_WRITE_FAILED", `Run ${run} crashes here on purpose, after its record ${records}.`);
}
