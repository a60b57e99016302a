// Items that are available synchronously, for an interface that is asynchronous. `forEach` takes them without awaiting
// each: asynchronous iteration costs three turns of the microtask queue per item.

export class SyncItems<T> implements Iterable<T>, AsyncIterable<T> {
  readonly #items: Iterable<T>;

  constructor(items: Iterable<T>) {
    this.#items = items;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items[Symbol.iterator]();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    yield* this.#items;
  }
}

/** Calls `take` with each item, in order. Resolves after the last one. */
export async function forEach<T>(items: AsyncIterable<T>, take: (item: T) => void): Promise<void> {
  if (isSync(items)) for (const item of items) take(item);
  else for await (const item of items) take(item);
}

function isSync<T>(items: AsyncIterable<T>): items is AsyncIterable<T> & Iterable<T> {
  return Symbol.iterator in items;
}
