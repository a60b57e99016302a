// One write for steps that end at the same time: a synced write costs a run of many workers more than everything else
// that it does. A caller waits for the end of the event loop's turn at most, and is durable when its promise resolves.

import type { Recorder } from "./recorder.ts";

type RunLater = (callback: () => void) => void;

/** Browsers have none, and their timers would make each step wait for milliseconds. */
const { setImmediate: atEndOfTurn } = globalThis as { readonly setImmediate?: RunLater };

export class SharedFlush {
  readonly #recorder: Pick<Recorder, "flush" | "sharesWrites">;
  #next: Promise<void> | undefined;

  constructor(recorder: Pick<Recorder, "flush" | "sharesWrites">) {
    this.#recorder = recorder;
  }

  /** Makes everything durable that was emitted so far, or is emitted until the write begins. */
  flush(): void | Promise<void> {
    if (atEndOfTurn === undefined || !this.#recorder.sharesWrites) return this.#recorder.flush();
    return (this.#next ??= this.#flushWith(atEndOfTurn));
  }

  async #flushWith(runLater: RunLater): Promise<void> {
    await new Promise<void>((resolve) => runLater(resolve));
    // Later callers are part of the next write.
    this.#next = undefined;
    await this.#recorder.flush();
  }
}
