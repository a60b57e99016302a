// A wait with a limit: the one way this folder waits for something it does not control.

import type { Clock } from "../lib/clock.ts";

/** True when `work` settled in time. What it rejects with is the caller's to handle elsewhere. */
export async function within(work: Promise<unknown>, limitMs: number, clock: Clock): Promise<boolean> {
  const settled = new AbortController();
  const done = work.then(
    () => true,
    () => true,
  );
  const late = clock.sleep(limitMs, settled.signal).then(
    () => false,
    () => true,
  );
  const isInTime = await Promise.race([done, late]);
  settled.abort();
  return isInTime;
}
