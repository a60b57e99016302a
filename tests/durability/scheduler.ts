// Decides by a seed which of the running bodies continues next, and moves time only when nothing else can happen. Runs
// that differ only in the seed differ only in what finishes first: everything else about them must be equal.

import type { Clock } from "../../src/lib/clock.ts";

interface Turn {
  readonly go: () => void;
}

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class Scheduler {
  readonly #random: () => number;
  readonly #turns: Turn[] = [];
  readonly #sleepers = new Set<Sleeper>();
  #now = 1_000_000;

  readonly clock: Clock = {
    now: () => this.#now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const stop = (): void => {
          this.#sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const sleeper: Sleeper = {
          at: this.#now + ms,
          wake: () => {
            signal?.removeEventListener("abort", stop);
            resolve();
          },
        };
        if (signal?.aborted === true) return stop();
        signal?.addEventListener("abort", stop, { once: true });
        this.#sleepers.add(sleeper);
      }),
  };

  constructor(seed: number) {
    this.#random = mulberry32(seed);
  }

  /** Resolves when the seed says so; rejects when the signal, if it is listened to, aborts first. */
  turn(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => void this.#turns.splice(this.#turns.indexOf(turn), 1);
      const stop = (): void => {
        leave();
        reject(signal?.reason);
      };
      const turn: Turn = {
        go: () => {
          leave();
          signal?.removeEventListener("abort", stop);
          resolve();
        },
      };
      if (signal?.aborted === true) return reject(signal.reason);
      signal?.addEventListener("abort", stop, { once: true });
      this.#turns.push(turn);
    });
  }

  /** Lets things happen, one at a time, until the promise is settled. */
  async drive<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    for (let idle = 0; ;) {
      await drained();
      if (isSettled) return promise;
      const turn = this.#turns[Math.floor(this.#random() * this.#turns.length)];
      const sleeper = turn === undefined ? this.#earliest() : undefined;
      if (turn !== undefined || sleeper !== undefined) idle = 0;
      if (turn !== undefined) turn.go();
      else if (sleeper !== undefined) this.#wake(sleeper);
      // The engine yields (with its own timer) in long runs, and a step waits for the event loop's turn to end. Only
      // waits in a row count: a long run has many.
      else if (++idle > 50) throw new Error("the run hangs: nothing runs, nothing sleeps, and it is not over");
      else await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  #earliest(): Sleeper | undefined {
    let first: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (first === undefined || sleeper.at < first.at) first = sleeper;
    return first;
  }

  #wake(sleeper: Sleeper): void {
    this.#sleepers.delete(sleeper);
    this.#now = Math.max(this.#now, sleeper.at);
    sleeper.wake();
  }
}

/** Resolves when every promise that could settle has done so. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
