// How a visit ended, as the recorder keeps it until the run reaches the visit, and as a snapshot carries it.

import { isJsonObject } from "../../../lib/is-record.ts";
import type { JsonObject } from "../../../lib/json.ts";
import type { ErrorRecord } from "../../../events/engine-events.ts";
import { errorRecord } from "../../../events/error-record.ts";
import type { RunEventOf } from "../../../events/run-event.ts";

const storedFailure = errorRecord();

/** How a visit of a node ended, as recorded. */
export interface RecordedOutcome {
  readonly update: JsonObject | undefined;
  readonly goto: string | undefined;
  /** Set when the node failed and the failure was handled. */
  readonly failure: ErrorRecord | undefined;
  /** The failure was handled by giving the branch up. */
  readonly isLost: boolean;
  /** The failure is left to the graph's catch, once the other branches have ended. */
  readonly isCaught: boolean;
  readonly at: number;
}

/** Undefined: the failure ended the run. */
export function outcomeOfFailure(failed: RunEventOf<"node.failed">): RecordedOutcome | undefined {
  const { update, goto, lost, caught, error, at } = failed;
  if (goto === undefined && update === undefined && lost === undefined && caught === undefined) return undefined;
  return { update, goto, failure: error, isLost: lost === true, isCaught: caught === true, at };
}

export function toStored({ update, goto, failure, isLost, isCaught, at }: RecordedOutcome): JsonObject {
  return {
    at,
    isLost,
    ...(isCaught ? { isCaught } : {}),
    ...(update === undefined ? {} : { update }),
    ...(goto === undefined ? {} : { goto }),
    ...(failure === undefined ? {} : { failure: { ...failure } }),
  };
}

export function fromStored(stored: JsonObject): RecordedOutcome {
  const { update, goto, failure, at } = stored;
  return {
    update: isJsonObject(update) ? update : undefined,
    goto: typeof goto === "string" ? goto : undefined,
    failure: storedFailure.accepts(failure) ? failure : undefined,
    isLost: stored["isLost"] === true,
    isCaught: stored["isCaught"] === true,
    at: Number(at),
  };
}
