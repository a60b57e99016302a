// Time is passed in: tests move it by hand, and no module reads the system clock directly.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

// Longer sleeps are split: after a suspend of the machine, a sleep ends late by this much at most.
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
      // The caller of abort() chose the reason, which may not be an Error.
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
