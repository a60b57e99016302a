// Notifies an owner that was replaced while it appends nothing. For stores without change notifications: a cheap check
// twice a second, which does not keep the process alive.

import { AtomicError } from "../lib/errors.ts";

const ownerWatchIntervalMs = 500;

export interface OwnerWatch {
  /**
   * The refusal of a run that has another owner; undefined while it is the handle's own. May throw what reading
   * throws.
   */
  readonly look: () => AtomicError | undefined;
  readonly lost: AbortController;
}

/** Returns what ends it: the handle is closed. */
export function watchOwner({ look, lost }: OwnerWatch): () => void {
  const timer = setInterval(() => {
    try {
      const refusal = look();
      if (refusal === undefined) return;
      clearInterval(timer);
      lost.abort(refusal);
    } catch (error) {
      // A store that can't be read says nothing about the owner. The next append meets the same failure and reports it.
      if (!AtomicError.is(error)) throw error;
    }
  }, ownerWatchIntervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
