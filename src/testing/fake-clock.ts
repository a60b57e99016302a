// A clock that moves only when a test says so.

import type { Clock } from "../lib/clock.ts";

export interface FakeClock extends Clock {
  /** Advances the time and wakes sleepers in order, each at the time it asked for. */
  advance(ms: number): Promise<void>;
  /** The number of pending sleeps. */
  readonly sleepers: number;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export function createFakeClock(startsAt = 0): FakeClock {
  let now = startsAt;
  const sleepers = new Set<Sleeper>();

  return {
    now: () => now,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          at: now + Math.max(ms, 0),
          wake: () => {
            signal?.removeEventListener("abort", stop);
            resolve();
          },
        };
        if (signal?.aborted) return stop();
        signal?.addEventListener("abort", stop, { once: true });
        sleepers.add(sleeper);
      });
    },
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        await settle();
        const next = earliest(sleepers);
        if (next === undefined || next.at > until) break;
        now = Math.max(now, next.at);
        sleepers.delete(next);
        next.wake();
      }
      now = until;
    },
    get sleepers() {
      return sleepers.size;
    },
  };
}

function earliest(sleepers: ReadonlySet<Sleeper>): Sleeper | undefined {
  let first: Sleeper | undefined;
  for (const sleeper of sleepers) if (first === undefined || sleeper.at < first.at) first = sleeper;
  return first;
}

/** Runs everything that is ready, so that woken sleepers have continued before time moves again. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
