// Time as a value that is passed in: tests move it by hand, and no module reads the system clock on its own.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// A longer sleep is slept in pieces: a machine that was suspended meanwhile wakes up late by one piece at most.
const maxTimerMs = 60_000;

export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  async sleep(ms, signal) {
    const until = Date.now() + ms;
    const elapsedAt = performance.now() + ms;
    for (let left = ms; ;) {
      await sleepOnce(Math.min(Math.max(left, 0), maxTimerMs), signal);
      // Whichever comes first: a clock that is set back must not make it longer.
      left = Math.min(until - Date.now(), elapsedAt - performance.now());
      if (left <= 0) return;
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
