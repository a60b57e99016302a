// The wait between two polls of a store that other processes write to. Change notifications don't work on every file
// system, so stores poll with a cheap check, about ten times a second, and less often while nothing changes.

export const pollIntervalMs = 100;

/** While nothing changes, a follower polls less often, and is at most a quarter of a second late. */
export const pollPace = { fastMs: pollIntervalMs, slowMs: 250, quietPolls: 20 } as const;

export interface PauseOptions {
  /** Combined by hand: a signal made of several is the most expensive part of a short poll on Node. */
  readonly signals: readonly AbortSignal[];
  /** False for background work that must not keep a finished process alive. */
  readonly keepsAlive: boolean;
  /** For stores where a poll costs more than reading a file. Default: `pollIntervalMs`. */
  readonly ms?: number;
}

/** Resolves after one interval, or at once when one of the signals aborts. */
export function pauseBetweenPolls(options: PauseOptions): Promise<void> {
  return new Promise((resolve) => {
    const { signals } = options;
    if (signals.some((signal) => signal.aborted)) return resolve();
    const wake = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, options.ms ?? pollIntervalMs);
    if (!options.keepsAlive) timer.unref();
    for (const signal of signals) signal.addEventListener("abort", wake, { once: true });
  });
}
