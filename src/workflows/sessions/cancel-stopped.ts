// Cancels a run that no process owns: one that is paused, waits for a user, was interrupted or failed. Needs neither
// its workflow nor an agent: the end is recorded, and the files in its folder show it.

import { readEvent } from "../../events/run-event.ts";
import type { Clock } from "../../lib/clock.ts";
import { SessionProjections } from "./projections.ts";
import { nextView, totalsOf } from "./session-view.ts";
import { readRun } from "./view-snapshot.ts";
import type { RunStore } from "./run-store.ts";

/**
 * False when the run is over already, and nothing was changed. Throws RUN_OWNED when a process has it: that one must be
 * asked instead.
 */
export async function cancelStopped(
  store: Pick<RunStore, "open" | "read" | "folder">,
  run: string,
  clock: Clock,
): Promise<boolean> {
  // As its owner: what is read now can't change before the end is on record.
  const handle = await store.open(run, { mode: "resume" });
  try {
    let { view } = await readRun(store, run);
    if (view.status === "completed" || view.status === "cancelled") return false;
    const totals = { ...totalsOf(view) };
    const end = { type: "run.finished", at: Math.max(clock.now(), view.updatedAt), outcome: "cancelled", totals };
    const ended = await handle.append([end], { status: "cancelled", dueAt: undefined });
    const projections = new SessionProjections(store.folder(run), () => view, clock);
    for (const event of ended.map(readEvent)) {
      view = nextView(view, event);
      projections.onEvent(event);
    }
    // Pending requests to it will never be handled.
    for (const { id } of await handle.pending()) await handle.acknowledge(id);
    return true;
  } finally {
    await handle.close();
  }
}
