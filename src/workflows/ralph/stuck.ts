// Work that is stuck pauses the run, and work that failed fails it. Both can be resumed. That it was stuck is noted; that
// the run failed is on record as its end, and only then: a run that was killed just before ends as it would have.

import type { Json, JsonObject } from "../../lib/json.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { pauseWith } from "../graph/model/pause-with.ts";

export async function noteStuck<S>({ attempt }: ExecutionContext<S>): Promise<void> {
  await attempt.note({ stuck: true });
}

/** An earlier try of this visit ended in a pause because work was stuck. */
export function wasStuck<S>({ attempt }: ExecutionContext<S>): boolean {
  const isMarked = (note: Json): boolean =>
    typeof note === "object" && note !== null && (note as JsonObject)["stuck"] === true;
  return attempt.previousNotes.some(isMarked);
}

/** An earlier try of this visit ended the run because work failed. */
export function wasFailed<S>({ attempt }: ExecutionContext<S>): boolean {
  return attempt.failedRuns > 0;
}

/** Thrown by a node. */
export function stuckPause(message: string): Error {
  return pauseWith("budget", { limit: "max-stuck", message });
}
