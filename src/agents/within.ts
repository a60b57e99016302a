// A wait with a limit: the one way this folder waits for something it does not control.

import type { Clock } from "../lib/clock.ts";

/** Without a reason of ours, each abort makes one with a stack: more than all the rest of a short wait. */
const isSettled = new Error("what was waited for has settled");

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
  settled.abort(isSettled);
  return isInTime;
}

/** What `work` gives, or the error of `onLate` when it takes longer. What `work` does later is dropped. */
export async function orLate<T>(work: Promise<T>, limitMs: number, clock: Clock, onLate: () => Error): Promise<T> {
  if (await within(work, limitMs, clock)) return work;
  work.catch(() => {});
  throw onLate();
}
