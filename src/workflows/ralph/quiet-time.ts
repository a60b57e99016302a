// Lets a check be repeated while no worker writes: workers run in parallel, and a caller that needs quiet waits until
// all of them are done while no new one starts.

import type { Deferred } from "../../lib/deferred.ts";
import { createDeferred } from "../../lib/deferred.ts";

export class QuietTime {
  #working = 0;
  #quiet: Promise<void> = Promise.resolve();
  #changed: Deferred<void> | undefined;

  get isAnybodyWorking(): boolean {
    return this.#working > 0;
  }

  /** Runs work that writes. Starts when no caller needs quiet. */
  async work<T>(body: () => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      return await body();
    } finally {
      this.#end();
    }
  }

  /** Inside `work`: waits without writing. Continues when no caller needs quiet. */
  async rest<T>(body: () => Promise<T>): Promise<T> {
    this.#end();
    try {
      return await body();
    } finally {
      await this.#begin();
    }
  }

  async #begin(): Promise<void> {
    for (let wanted = this.#quiet; ; wanted = this.#quiet) {
      await wanted;
      if (wanted === this.#quiet) break;
    }
    this.#working++;
  }

  #end(): void {
    this.#working--;
    this.#changed?.resolve();
    this.#changed = undefined;
  }

  /** Runs while no worker writes, one body at a time. */
  async inQuiet<T>(body: () => Promise<T>): Promise<T> {
    const before = this.#quiet;
    const done = createDeferred<void>();
    this.#quiet = before.then(() => done.promise);
    await before;
    try {
      while (this.#working > 0) {
        this.#changed ??= createDeferred();
        await this.#changed.promise;
      }
      return await body();
    } finally {
      done.resolve();
    }
  }
}
