// Work that is stuck pauses the run, and work that failed fails it. Both can be resumed: the next process finds the note
// that the last one left.

import type { Json, JsonObject } from "../../lib/json.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { pauseWith } from "../graph/model/pause-with.ts";

type Mark = "stuck" | "failed";

export async function noteStuck<S>({ attempt }: ExecutionContext<S>): Promise<void> {
  await attempt.note({ stuck: true });
}

export async function noteFailed<S>({ attempt }: ExecutionContext<S>): Promise<void> {
  await attempt.note({ failed: true });
}

/** An earlier try of this visit ended in a pause because work was stuck. */
export function wasStuck<S>(context: ExecutionContext<S>): boolean {
  return countNotes(context, "stuck") > 0;
}

/** An earlier try of this visit ended the run because work failed. */
export function wasFailed<S>(context: ExecutionContext<S>): boolean {
  return countNotes(context, "failed") > 0;
}

/** How many earlier tries of this visit ended like that. */
export function countNotes<S>({ attempt }: ExecutionContext<S>, mark: Mark): number {
  const isMarked = (note: Json): boolean =>
    typeof note === "object" && note !== null && (note as JsonObject)[mark] === true;
  return attempt.left.filter(isMarked).length;
}

/** Thrown by a node. */
export function stuckPause(message: string): Error {
  return pauseWith("budget", { limit: "max-stuck", message });
}
