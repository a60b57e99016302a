// A queue with one writer and one reader. The writer never waits; the reader reads it as an async iterable, once.
// Written by hand because an async generator costs several times as much per event, and a turn has thousands.

export interface EventQueue<T> {
  push(value: T): void;
  /** No more values. Those in the queue are still read. */
  end(): void;
  readonly iterable: AsyncIterable<T>;
}

export interface EventQueueOptions {
  /** The first value was asked for. */
  readonly onStart: () => void;
  /** The reader left before the end. */
  readonly onAbandoned: () => Promise<void>;
}

export function createEventQueue<T>(options: EventQueueOptions): EventQueue<T> {
  let values: T[] = [];
  let head = 0;
  let isEnded = false;
  let isTaken = false;
  let isStarted = false;
  let waiting: ((result: IteratorResult<T, undefined>) => void) | undefined;

  const iterator: AsyncIterator<T, undefined> = {
    next() {
      if (!isStarted) {
        isStarted = true;
        options.onStart();
      }
      if (head < values.length) {
        const value = values[head++] as T;
        if (head === values.length) {
          values = [];
          head = 0;
        }
        return Promise.resolve({ done: false, value });
      }
      if (isEnded) return Promise.resolve({ done: true, value: undefined });
      if (waiting !== undefined)
        return Promise.reject(new Error("next() was called again before the last call was answered"));
      return new Promise((resolve) => (waiting = resolve));
    },
    async return() {
      if (isStarted && !isEnded) await options.onAbandoned();
      values = [];
      head = 0;
      isEnded = true;
      wake({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
  };

  function wake(result: IteratorResult<T, undefined>): boolean {
    if (waiting === undefined) return false;
    const resolve = waiting;
    waiting = undefined;
    resolve(result);
    return true;
  }

  return {
    push(value) {
      if (isEnded) return;
      if (!wake({ done: false, value })) values.push(value);
    },
    end() {
      if (isEnded) return;
      isEnded = true;
      wake({ done: true, value: undefined });
    },
    iterable: {
      [Symbol.asyncIterator]() {
        if (isTaken) throw new Error("The events of a turn can be read once");
        isTaken = true;
        return iterator;
      },
    },
  };
}
