// How often each node was reached in one branch. Most branches are short, and a thousand of them come to be at once: the
// first node is kept here, and a map is made only for a second one.

export class Visits {
  #first = -1;
  #count = 0;
  #others: Map<number, number> | undefined;

  /** Counts one more, and says the how-manieth it is. */
  enter(node: number): number {
    if (this.#first === -1) this.#first = node;
    if (this.#first === node) return ++this.#count;
    this.#others ??= new Map();
    const count = (this.#others.get(node) ?? 0) + 1;
    this.#others.set(node, count);
    return count;
  }

  of(node: number): number {
    return (node === this.#first ? this.#count : this.#others?.get(node)) ?? 0;
  }

  entries(): [number, number][] {
    return this.#first === -1 ? [] : [[this.#first, this.#count], ...(this.#others ?? [])];
  }

  /** Puts back what `entries` gave. */
  static from(entries: Iterable<readonly [number, number]>): Visits {
    const visits = new Visits();
    for (const [node, count] of entries) {
      if (visits.#first === -1) {
        visits.#first = node;
        visits.#count = count;
      } else {
        (visits.#others ??= new Map()).set(node, count);
      }
    }
    return visits;
  }
}
