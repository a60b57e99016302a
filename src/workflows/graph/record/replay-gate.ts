// Holds back everything that would run until the whole record has been replayed. Only then is it known whether the
// record still matches the graph, and a record that does not match must stop the run before anything happens.

import type { Deferred } from "../../../lib/deferred.ts";
import { createDeferred } from "../../../lib/deferred.ts";
import type { Token } from "../schedule/token.ts";

export class ReplayGate {
  readonly #opened: Deferred<void> = createDeferred();
  readonly #waiting = new Set<Token>();
  #isOpen = false;

  wait(token: Token): Promise<void> {
    this.#waiting.add(token);
    return this.#opened.promise;
  }

  /** The token no longer waits: its branch was dropped. */
  leave(token: Token): void {
    this.#waiting.delete(token);
  }

  /** True if no walk is left that could continue the replay. */
  isReplayed(walking: number): boolean {
    return !this.#isOpen && walking > 0 && this.#waiting.size >= walking;
  }

  release(): void {
    this.#isOpen = true;
    this.#opened.resolve();
  }
}
