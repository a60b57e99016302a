// The wait between two looks at a store that other processes write to. No operating system reports changes in a
// way that works on every file system, so stores poll about ten times a second with a cheap check, and
// less often where nothing changes.

export const pollIntervalMs = 100;

/** Where nothing changes, a follower looks less often, and is at most a quarter of a second late. */
export const pollPace = { fastMs: pollIntervalMs, slowMs: 250, quietLooks: 20 } as const;

export interface PauseOptions {
  readonly signal: AbortSignal;
  /** False for work in the background that must not keep a process alive that is otherwise done. */
  readonly keepsAlive: boolean;
  /** For stores where a look costs more than one at a file. Default: `pollIntervalMs`. */
  readonly ms?: number;
}

/** Resolves after one interval, or at once when the signal aborts. */
export function pauseBetweenPolls(options: PauseOptions): Promise<void> {
  return new Promise((resolve) => {
    if (options.signal.aborted) return resolve();
    const wake = (): void => {
      clearTimeout(timer);
      options.signal.removeEventListener("abort", wake);
      resolve();
    };
    const timer = setTimeout(wake, options.ms ?? pollIntervalMs);
    if (!options.keepsAlive) timer.unref();
    options.signal.addEventListener("abort", wake, { once: true });
  });
}
