// Calls code of a workflow file, which may never return. The runtime's own watchdog stops an endless loop, a timer
// stops a promise that never settles, and an error stops a call of `process.exit`. A loop that starts after an `await`
// can't be stopped: the program ends, with a message.

import { Script } from "node:vm";
import type { Clock } from "../../lib/clock.ts";
import { safeText } from "../../lib/safe-text.ts";

/** Thrown when the limit was reached. */
export class TookTooLong extends Error {
  override readonly name = "TookTooLong";
}

/** The watchdog guards only what a script calls, so a script makes the call, through this global name. */
const slot = "__atomicGuardedCall";

/** Runs `call`; stops it after `limitMs`. Not for nested use. */
export function callWithin<T>(limitMs: number, call: () => T): T {
  let result: { value: T } | undefined;
  const run = (): void => {
    result = { value: call() };
  };
  Object.defineProperty(globalThis, slot, { value: run, configurable: true });
  const { exit } = process;
  process.exit = (): never => {
    throw new Error("calls process.exit(), which would end Atomic with it");
  };
  try {
    new Script(`globalThis.${slot}()`).runInThisContext({ timeout: Math.max(1, Math.ceil(limitMs)) });
  } catch (thrown) {
    throw isTimeout(thrown) ? new TookTooLong() : thrown;
  } finally {
    process.exit = exit;
    Reflect.deleteProperty(globalThis, slot);
  }
  if (result === undefined) throw new TookTooLong();
  return result.value;
}

/**
 * The value of `promise`, unless it takes longer than `limitMs`. `subject` is for the message if the program has to
 * end.
 */
export async function settleWithin<T>(limitMs: number, clock: Clock, promise: Promise<T>, subject: string): Promise<T> {
  using _ = watchFromOutside(limitMs, subject);
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

/** A timer can't interrupt a loop. If it has not fired by then, there is one. */
const graceMs = 3000;

// Runs in a separate thread, so it still runs when this one hangs.
const watchdog = `
self.onmessage = ({ data: { isOver, limitMs, text } }) => {
  if (Atomics.wait(isOver, 0, 0, limitMs) !== "timed-out") return;
  require("node:fs").writeSync(2, text);
  process.kill(process.pid, "SIGKILL");
};`;

/** A loop that starts after an `await` can't be stopped. The program then ends with a message instead of hanging. */
function watchFromOutside(limitMs: number, subject: string): Disposable {
  const isOver = new Int32Array(new SharedArrayBuffer(4));
  const source = URL.createObjectURL(new Blob([watchdog], { type: "application/javascript" }));
  const worker = new Worker(source);
  worker.unref();
  const text = safeText(
    `atomic: WORKFLOW_FILE_INVALID: ${subject} did not finish loading within ${limitMs / 1000} s and can't be stopped, so Atomic exits. Look for a loop after an \`await\`.\n`,
  );
  worker.postMessage({ isOver, limitMs: limitMs + graceMs, text }, []);
  return {
    [Symbol.dispose]() {
      Atomics.store(isOver, 0, 1);
      Atomics.notify(isOver, 0);
      worker.terminate();
      URL.revokeObjectURL(source);
    },
  };
}

function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
