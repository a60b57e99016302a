// At most this many at once; the others wait in order.

export interface Semaphore {
  /** Runs `work` when it is its turn. Not at all when the signal aborts first: then rejects with its reason. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createSemaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (running < limit) {
      running++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const admit = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(admit), 1);
        reject(signal?.reason);
      };
      waiting.push(admit);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  function exit(): void {
    const next = waiting.shift();
    // The slot is handed over directly, so no other caller can take it in between.
    if (next === undefined) running--;
    else next();
  }

  return {
    async run(work, signal) {
      await enter(signal);
      try {
        return await work();
      } finally {
        exit();
      }
    },
  };
}
