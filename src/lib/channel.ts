// A queue between one writer and one reader. The writer is asked to wait when the reader falls behind, so a slow
// reader costs time and not memory.

import type { Deferred } from "./deferred.ts";
import { createDeferred } from "./deferred.ts";

const bufferSize = 256;

export class Channel<T> {
  #items: T[] = [];
  #next = 0;
  #isClosed = false;
  #reader: Deferred<void> | undefined;
  #writer: Deferred<void> | undefined;

  push(item: T): void | Promise<void> {
    if (this.#isClosed) return;
    this.#items.push(item);
    this.#reader?.resolve();
    this.#reader = undefined;
    if (this.#items.length - this.#next < bufferSize) return;
    this.#writer ??= createDeferred();
    return this.#writer.promise;
  }

  /** The next item; undefined at the end. Waits only if there is none yet. */
  take(): T | undefined | Promise<T | undefined> {
    const ready = this.takeReady();
    if (ready !== undefined || this.#isClosed) return ready;
    this.#reader ??= createDeferred();
    return this.#reader.promise.then(() => this.take());
  }

  /** The next item, if there is one already. */
  takeReady(): T | undefined {
    if (this.#next === this.#items.length) return undefined;
    const item = this.#items[this.#next++];
    if (this.#next === this.#items.length) {
      this.#items = [];
      this.#next = 0;
      this.#writer?.resolve();
      this.#writer = undefined;
    }
    return item;
  }

  close(): void {
    this.#isClosed = true;
    this.#reader?.resolve();
    this.#writer?.resolve();
  }
}
