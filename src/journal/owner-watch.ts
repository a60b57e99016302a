// Notifies an owner that was replaced while it appends nothing. For stores without change notifications: they poll
// twice a second with a cheap check. Keeps no process alive.

import { AtomicError } from "../lib/errors.ts";

const ownerWatchIntervalMs = 500;

export interface OwnerWatch {
  /**
   * The refusal of a run that has another owner; undefined while it is the handle's own. May throw what reading
   * throws.
   */
  readonly look: () => AtomicError | undefined;
  readonly lost: AbortController;
  /** The handle is closed. */
  readonly until: AbortSignal;
}

export function watchOwner({ look, lost, until }: OwnerWatch): void {
  const timer = setInterval(() => {
    try {
      const refusal = look();
      if (refusal !== undefined) lost.abort(refusal);
    } catch (error) {
      // A store that can't be read says nothing about the owner. The next append meets the same failure and reports it.
      if (!AtomicError.is(error)) throw error;
    }
  }, ownerWatchIntervalMs);
  timer.unref();
  for (const end of [until, lost.signal]) end.addEventListener("abort", () => clearInterval(timer), { once: true });
}
