// Time as a value that is passed in: tests move it by hand, and no module reads the system clock on its own.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// Timers hold 32 bits; a longer sleep is slept in pieces.
const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  async sleep(ms, signal) {
    const until = Date.now() + ms;
    for (let left = ms; ; left = until - Date.now()) {
      await sleepOnce(Math.min(Math.max(left, 0), longestTimerMs), signal);
      if (until <= Date.now()) return;
    }
  },
} satisfies Clock);

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      // The reason is whatever the caller of abort() chose; it is theirs to be an Error.
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}
