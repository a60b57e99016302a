// How long to wait between two looks at something that others change: short while something happens, longer once nothing
// has for a while. A process that only waits then wakes up less than half as often. Pure.

export interface PollPace {
  readonly fastMs: number;
  readonly slowMs: number;
  /** So many looks in a row without news, and the next ones take their time. */
  readonly quietLooks: number;
}

/** Gives the wait before the next look. */
export function createPollPace({ fastMs, slowMs, quietLooks }: PollPace): (hasNews: boolean) => number {
  let quiet = 0;
  return (hasNews) => {
    quiet = hasNews ? 0 : quiet + 1;
    return quiet < quietLooks ? fastMs : slowMs;
  };
}
