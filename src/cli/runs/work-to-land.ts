// Work of a run's tasks that landed and never reached the user's folder: `atomic land` still applies it, also when the
// run itself is over.

import type { RunEvent } from "../../events/run-event.ts";
import { counted } from "../../lib/counted.ts";

/** Undefined when all of it was delivered, or nothing landed. */
export async function workToLandText(run: string, events: AsyncIterable<RunEvent>): Promise<string | undefined> {
  const tasks = new Set<string>();
  for await (const event of events) {
    if (event.type === "task.landed") tasks.add(event.task);
    if (event.type === "work.delivered" && event.target === "tree") tasks.clear();
  }
  if (tasks.size === 0) return undefined;
  return `The work of ${counted(tasks.size, "finished task")} is kept. Apply it with: atomic land ${run}`;
}
