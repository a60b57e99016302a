// Lets a check be repeated while nobody writes: workers take turns side by side, and whoever needs quiet waits until
// all of them are through while no new one starts.

import type { Deferred } from "../../lib/deferred.ts";
import { createDeferred } from "../../lib/deferred.ts";

export class QuietTime {
  #working = 0;
  #quiet: Promise<void> = Promise.resolve();
  #changed: Deferred<void> | undefined;

  get isAnybodyWorking(): boolean {
    return this.#working > 0;
  }

  /** Runs work that writes. Starts when nobody needs quiet. */
  async work<T>(body: () => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      return await body();
    } finally {
      this.#end();
    }
  }

  /** Inside of work: waits for somebody, and writes nothing meanwhile. Goes on when nobody needs quiet. */
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

  /** Runs with nobody working, one after the other. */
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
