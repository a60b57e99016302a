// Ctrl+C and similar signals during a run. The first one pauses the run; a second one, whichever it is, ends the
// program at once. What was recorded is on the disk by then.

import { pauseWith } from "../../workflows/graph/model/pause-with.ts";
import { signalExitCodes, type StopSignal } from "./exit-code.ts";

export interface StopSignals {
  /** Aborted with the reason to pause. */
  readonly signal: AbortSignal;
  /** The signal that came, if any. */
  readonly received: StopSignal | undefined;
  /** Restores the default effect of the signals. */
  release(): void;
}

export interface StopSignalsOptions {
  readonly onFirst: (signal: StopSignal) => void;
  /** The last chance to end children; it must not wait. */
  readonly onSecond: () => void;
}

/** What a second one does, for the line that the first one prints. */
export function againText(signal: StopSignal): string {
  return signal === "SIGINT" ? "Press Ctrl+C again to stop at once" : "A second signal stops it at once";
}

export function listenToStopSignals(options: StopSignalsOptions): StopSignals {
  const controller = new AbortController();
  let received: StopSignal | undefined;
  const listeners = (Object.keys(signalExitCodes) as StopSignal[]).map((name) => {
    const listener = (): void => {
      if (received !== undefined) {
        options.onSecond();
        process.exit(signalExitCodes[name]);
      }
      received = name;
      options.onFirst(name);
      controller.abort(pauseWith("interrupted", { signal: name }));
    };
    process.on(name, listener);
    return { name, listener };
  });
  return {
    signal: controller.signal,
    get received() {
      return received;
    },
    release() {
      for (const { name, listener } of listeners) process.off(name, listener);
    },
  };
}
