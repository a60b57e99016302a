// How a visit ended, as the recorder keeps it until the run comes by, and as a snapshot carries it.

import type { JsonObject } from "../../../lib/json.ts";
import type { ErrorRecord } from "../../../events/engine-events.ts";

/** How a visit of a node ended, as recorded. */
export interface RecordedOutcome {
  readonly update: JsonObject | undefined;
  readonly goto: string | undefined;
  /** Set when the node failed and the failure was handled. */
  readonly failure: ErrorRecord | undefined;
  /** The failure was handled by giving the branch up. */
  readonly isLost: boolean;
  readonly at: number;
}

export function toStored({ update, goto, failure, isLost, at }: RecordedOutcome): JsonObject {
  return {
    at,
    isLost,
    ...(update === undefined ? {} : { update }),
    ...(goto === undefined ? {} : { goto }),
    ...(failure === undefined ? {} : { failure: { ...failure } }),
  };
}

export function fromStored(stored: JsonObject): RecordedOutcome {
  return {
    update: stored["update"] as JsonObject | undefined,
    goto: stored["goto"] as string | undefined,
    failure: stored["failure"] as ErrorRecord | undefined,
    isLost: stored["isLost"] === true,
    at: Number(stored["at"]),
  };
}
