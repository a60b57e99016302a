// How often each node was reached in one branch. Most branches are short, and a thousand of them may be created at
// once; most loops are short too, and run ten thousand times. So the first nodes are kept in fields, and a map is
// created only for more.

export class Visits {
  #first = -1;
  #firstCount = 0;
  #second = -1;
  #secondCount = 0;
  #third = -1;
  #thirdCount = 0;
  #others: Map<number, number> | undefined;

  /** Counts one more visit, and returns its number. */
  enter(node: number): number {
    if (this.#first === node) return ++this.#firstCount;
    if (this.#second === node) return ++this.#secondCount;
    if (this.#third === node) return ++this.#thirdCount;
    const count = this.of(node) + 1;
    this.#set(node, count);
    return count;
  }

  of(node: number): number {
    if (this.#first === node) return this.#firstCount;
    if (this.#second === node) return this.#secondCount;
    if (this.#third === node) return this.#thirdCount;
    return this.#others?.get(node) ?? 0;
  }

  entries(): [number, number][] {
    const kept: [number, number][] = [
      [this.#first, this.#firstCount],
      [this.#second, this.#secondCount],
      [this.#third, this.#thirdCount],
    ];
    return [...kept.filter(([node]) => node !== -1), ...(this.#others ?? [])];
  }

  /** Restores what `entries` returned. */
  static from(entries: Iterable<readonly [number, number]>): Visits {
    const visits = new Visits();
    for (const [node, count] of entries) visits.#set(node, count);
    return visits;
  }

  /** For a node that has no slot yet. */
  #set(node: number, count: number): void {
    if (this.#first === -1) {
      this.#first = node;
      this.#firstCount = count;
    } else if (this.#second === -1) {
      this.#second = node;
      this.#secondCount = count;
    } else if (this.#third === -1) {
      this.#third = node;
      this.#thirdCount = count;
    } else {
      (this.#others ??= new Map()).set(node, count);
    }
  }
}
