// Yields to the event loop: long stretches of work without I/O would block timers and signals.

import type { Clock } from "../../../lib/clock.ts";

const everySteps = 1024;
const afterMs = 50;

export class EventLoopYield {
  readonly #clock: Clock;
  #last: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#last = clock.now();
  }

  /** Never at the first step: on a busy machine, a short run would otherwise wait for timers before it begins. */
  isDue(steps: number): boolean {
    // The clock may have been set back.
    return steps > 0 && steps % everySteps === 0 && Math.abs(this.#clock.now() - this.#last) >= afterMs;
  }

  async take(): Promise<void> {
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
    this.#last = this.#clock.now();
  }
}
