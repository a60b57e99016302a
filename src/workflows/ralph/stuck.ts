// Work that is stuck pauses the run and can be resumed: the next process finds the note of the one that paused.

import type { JsonObject } from "../../lib/json.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { pauseWith } from "../graph/model/pause-with.ts";

const mark = "stuck";

export async function noteStuck<S>({ attempt }: ExecutionContext<S>): Promise<void> {
  await attempt.note({ [mark]: true });
}

/** An earlier try of this visit ended in a pause because work was stuck. */
export function wasStuck<S>({ attempt }: ExecutionContext<S>): boolean {
  return attempt.left.some((note) => typeof note === "object" && note !== null && (note as JsonObject)[mark] === true);
}

/** Thrown by a node. */
export function stuckPause(message: string): Error {
  return pauseWith("budget", { limit: "max-stuck", message });
}
