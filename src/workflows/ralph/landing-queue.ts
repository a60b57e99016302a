// One task lands at a time, in the order in which they first wanted to. A task that is sent back keeps its place: when
// it returns, it goes before those that came later.

export class LandingQueue {
  readonly #places = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();
  #next = 0;
  #isBusy = false;

  async run<T>(task: string, body: () => Promise<T>): Promise<T> {
    if (!this.#places.has(task)) this.#places.set(task, this.#next++);
    if (this.#isBusy) await new Promise<void>((resolve) => void this.#waiting.set(task, resolve));
    this.#isBusy = true;
    try {
      return await body();
    } finally {
      this.#passOn();
    }
  }

  /** It stays busy while it is passed on: no other task may come in between. */
  #passOn(): void {
    const [first] = [...this.#waiting.keys()].toSorted((a, b) => this.#placeOf(a) - this.#placeOf(b));
    this.#isBusy = first !== undefined;
    if (first === undefined) return;
    const start = this.#waiting.get(first);
    this.#waiting.delete(first);
    start?.();
  }

  #placeOf(task: string): number {
    return this.#places.get(task) ?? this.#next;
  }
}
