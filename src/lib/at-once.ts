// Items that are there at once, in a place where others have to be waited for. Whoever knows walks them without
// waiting: an asynchronous walk takes three turns of the microtask queue per item.

export class AtOnce<T> implements Iterable<T>, AsyncIterable<T> {
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
  if (isAtOnce(items)) for (const item of items) take(item);
  else for await (const item of items) take(item);
}

function isAtOnce<T>(items: AsyncIterable<T>): items is AsyncIterable<T> & Iterable<T> {
  return Symbol.iterator in items;
}
