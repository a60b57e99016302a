// Starts walks one after the other. A body that does not await ends inside its own start and frees a slot for the next
// one, which ends inside its own start: without this queue, ten thousand short branches would be one deep stack.

export class StartQueue<T> {
  readonly #begin: (item: T) => void;
  #waiting: T[] | undefined;

  constructor(begin: (item: T) => void) {
    this.#begin = begin;
  }

  /** At once, or as soon as the one that is being started has reached its first await. */
  start(item: T): void {
    if (this.#waiting !== undefined) {
      this.#waiting.push(item);
      return;
    }
    const waiting = [item];
    this.#waiting = waiting;
    // Grows while it is walked.
    for (const next of waiting) this.#begin(next);
    this.#waiting = undefined;
  }
}
