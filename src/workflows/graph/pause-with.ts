// Why a run is told to pause, carried by the reason of an AbortSignal.

import type { Json } from "../../lib/json.ts";
import type { PauseReason } from "./events.ts";
import type { Stop } from "./run-control.ts";

const pauseBrand: unique symbol = Symbol.for("atomic.pause") as never;

/** A reason for `AbortController.abort` that says why the run pauses. */
export function pauseWith(reason: PauseReason, details?: Readonly<Record<string, Json>>): Error {
  const error = new Error(`the run pauses: ${reason}`);
  return Object.assign(error, {
    [pauseBrand]: { kind: "pause", reason, ...(details === undefined ? {} : { details }) } satisfies Stop,
  });
}

/** What the signal's reason says; an abort without one is an interruption. */
export function pauseOf(reason: unknown): Stop {
  const chosen =
    typeof reason === "object" && reason !== null && pauseBrand in reason ? (reason[pauseBrand] as Stop) : undefined;
  return chosen ?? { kind: "pause", reason: "interrupted" };
}
