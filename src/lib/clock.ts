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

/** Smaller steps back are let through: they prolong nothing by much, and a corrected clock shows the right time. */
const maxStepBackMs = 60_000;

/**
 * The system's clock as long as it goes forward. When it is set back, this one keeps its pace, so that what the process
 * waits for comes no later. Costs a second reading: where nothing is waited for, `systemClock` will do.
 */
export function createSteadyClock(): Clock {
  let known = { now: 0, tick: 0 };
  return Object.freeze({
    now() {
      const [now, tick] = [Date.now(), performance.now()];
      const expected = known.now + tick - known.tick;
      if (now < expected - maxStepBackMs) return Math.trunc(expected);
      known = { now, tick };
      return now;
    },
    sleep: systemClock.sleep,
  } satisfies Clock);
}

/** One for the whole process. */
export const steadyClock: Clock = createSteadyClock();

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
