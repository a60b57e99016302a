// Waits that outlive their process. They end at a time of the system's clock; if that clock is set back meanwhile, they
// still take no longer than intended.

import type { Clock } from "../../../lib/clock.ts";
import { AtomicError } from "../../../lib/errors.ts";

/** A type and not an interface, so that it is JSON to the compiler too. */
export type DurableWait = {
  /** When it ends, by the system's clock. */
  readonly until: number;
  /** Its intended duration when it began. */
  readonly forMs: number;
  /** When it began, by the times of the record, which never go back. */
  readonly at: number;
};

/** Throws NOT_JSON for what a record can't hold as a time. */
export function requireTime(atMs: number, node: string): void {
  if (Number.isFinite(atMs)) return;
  const problem = `Node "${node}": sleepUntil needs a time in milliseconds since the epoch, is ${String(atMs)}.`;
  throw new AtomicError("NOT_JSON", problem);
}

export function beginWait(until: number, clock: Clock, recordedNow: number): DurableWait {
  return { until, forMs: Math.max(0, until - clock.now()), at: recordedNow };
}

/** How long it still takes. */
export function remainingMs({ until, forMs, at }: DurableWait, clock: Clock, recordedNow: number): number {
  return Math.max(0, Math.min(until - clock.now(), forMs - (recordedNow - at)));
}
