// Times on record that a resumed run waits for.

/**
 * The recorded time, or an earlier one where the system's clock was set back since the last record: the wait takes no
 * longer than what was left of it then. `lastAt`: the time of the last record, and those never go back.
 */
export function recordedUntil(until: number, lastAt: number, now: number): number {
  return Math.min(until, now + Math.max(0, until - lastAt));
}
