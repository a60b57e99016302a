// How long to wait between two polls: short while something changes, longer once nothing has for a while. So a process
// that only waits wakes up less than half as often. Pure.

export interface PollPace {
  readonly fastMs: number;
  readonly slowMs: number;
  /** After this many polls in a row without news, polling slows down. */
  readonly quietPolls: number;
}

/** Returns the wait before the next poll. */
export function createPollPace({ fastMs, slowMs, quietPolls }: PollPace): (hasNews: boolean) => number {
  let quiet = 0;
  return (hasNews) => {
    quiet = hasNews ? 0 : quiet + 1;
    return quiet < quietPolls ? fastMs : slowMs;
  };
}
