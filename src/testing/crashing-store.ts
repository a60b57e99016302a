// A store in memory that "crashes" after a chosen record: what was stored stays, and nothing more can be stored. The
// engine then stops where a killed process would have stopped, and the run can be resumed from what was stored.

import { MemorySaver } from "../journal/memory.ts";
import type { JournalHandle, JournalStore, JournalOpenOptions, StoredEvent } from "../journal/port.ts";
import { CrashPoint } from "../workflows/crash-point.ts";

export class CrashingStore implements JournalStore {
  readonly #saver = new MemorySaver();
  readonly #crash = new CrashPoint();

  /** Crashes once this many more records are stored. */
  crashAfter(records: number): void {
    this.#crash.crashAfter(records);
  }

  /** The crashed process has ended, and another one can take its runs. */
  restart(): void {
    this.#crash.restart();
    this.#saver.forgetOwners();
  }

  /** How many were stored. */
  get records(): number {
    return this.#crash.records;
  }

  get hasCrashed(): boolean {
    return this.#crash.hasCrashed;
  }

  async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    return this.#crash.guard(await this.#saver.open(run, options));
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

  pending(...args: Parameters<JournalStore["pending"]>): ReturnType<JournalStore["pending"]> {
    return this.#saver.pending(...args);
  }

  info(...args: Parameters<JournalStore["info"]>): ReturnType<JournalStore["info"]> {
    return this.#saver.info(...args);
  }

  list(...args: Parameters<JournalStore["list"]>): ReturnType<JournalStore["list"]> {
    return this.#saver.list(...args);
  }

  close(): Promise<void> {
    return this.#saver.close();
  }

  remove(...args: Parameters<JournalStore["remove"]>): Promise<void> {
    return this.#saver.remove(...args);
  }
}
