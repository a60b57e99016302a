// Why a run is asked to pause or to end, carried by the reason of an AbortSignal or by what a node throws.

import type { Json } from "../../../lib/json.ts";
import type { PauseReason } from "../../../events/engine-events.ts";
import type { Stop } from "./stop.ts";

const pauseBrand: unique symbol = Symbol.for("atomic.pause") as never;

/** Why the run pauses: a reason for `AbortController.abort`, or thrown by the body of a node. */
export function pauseWith(reason: PauseReason, details?: Readonly<Record<string, Json>>): Error {
  const error = new Error(`the run pauses: ${reason}`);
  return asPause(error, { kind: "pause", reason, ...(details === undefined ? {} : { details }) });
}

/** Ends the run for good: a reason for `AbortController.abort`. */
export function cancelNow(): Error {
  return asPause(new Error("the run is cancelled"), { kind: "cancel" });
}

/** The same for an error that is one already. */
export function asPause<E extends Error>(error: E, stop: Exclude<Stop, { kind: "fail" }>): E {
  Object.defineProperty(error, pauseBrand, { value: stop });
  return error;
}

/** What the signal's reason says; an abort without one is an interruption. */
export function pauseOf(reason: unknown): Stop {
  return thrownPause(reason) ?? { kind: "pause", reason: "interrupted" };
}

/** Undefined for everything that `pauseWith` did not make. */
export function thrownPause(thrown: unknown): Stop | undefined {
  return typeof thrown === "object" && thrown !== null && pauseBrand in thrown
    ? (thrown[pauseBrand] as Stop)
    : undefined;
}
