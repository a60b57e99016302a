// Calls code of a stranger's making that may never come back. A loop without an end is stopped by the runtime's own
// watchdog, a promise that never settles by a timer.

import { Script } from "node:vm";
import type { Clock } from "../../lib/clock.ts";

/** Thrown when the limit was reached. */
export class TookTooLong extends Error {
  override readonly name = "TookTooLong";
}

/** The watchdog guards only what a script calls, so the call is handed to a script by way of this name. */
const slot = "__atomicGuardedCall";

/** Runs `call`; stops it after `limitMs`. Not for nested use. */
export function callWithin<T>(limitMs: number, call: () => T): T {
  let result: { value: T } | undefined;
  const run = (): void => {
    result = { value: call() };
  };
  Object.defineProperty(globalThis, slot, { value: run, configurable: true });
  try {
    new Script(`globalThis.${slot}()`).runInThisContext({ timeout: Math.max(1, Math.ceil(limitMs)) });
  } catch (thrown) {
    throw isTimeout(thrown) ? new TookTooLong() : thrown;
  } finally {
    Reflect.deleteProperty(globalThis, slot);
  }
  if (result === undefined) throw new TookTooLong();
  return result.value;
}

/** What `promise` gives, unless it takes longer than `limitMs`. */
export async function settleWithin<T>(limitMs: number, clock: Clock, promise: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const limit = clock.sleep(limitMs, timer.signal).then(
    () => {
      throw new TookTooLong();
    },
    () => new Promise<never>(() => {}),
  );
  try {
    return await Promise.race([promise, limit]);
  } finally {
    timer.abort();
  }
}

function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
