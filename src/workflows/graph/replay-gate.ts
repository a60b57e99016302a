// Holds back everything that would run until all that was recorded has been replayed. Only then is it known whether
// the record still fits the graph, and a record that does not fit must stop the run before anything happens.

import type { Deferred } from "../../lib/deferred.ts";
import { createDeferred } from "../../lib/deferred.ts";

export class ReplayGate {
  /** Paths whose records may stay unread: branches that lost a race. */
  readonly expectedLeft: string[] = [];
  readonly #opened: Deferred<void> = createDeferred();
  #waiting = 0;
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  wait(): Promise<void> {
    this.#waiting++;
    return this.#opened.promise;
  }

  /** True when nobody is left who could replay on. */
  isReplayed(walking: number): boolean {
    return !this.#isOpen && walking > 0 && this.#waiting >= walking;
  }

  /** Nobody may come to wait any more; those who do go on with `release`. */
  open(): void {
    this.#isOpen = true;
  }

  release(): void {
    this.#isOpen = true;
    this.#opened.resolve();
  }
}
