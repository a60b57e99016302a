// Cancels a recorded run, whether a process runs it or not. One that runs is asked, and ends as it does for every
// request; one that no process owns (paused, or its process is gone) is over at once, without its graph.

import { type Clock, systemClock } from "../../../lib/clock.ts";
import { AtomicError } from "../../../lib/errors.ts";
import type { JournalStore } from "../../../journal/port.ts";

/** `requested`: its owner was asked. `finished`: it was completed or cancelled before, and nothing was changed. */
export type CancelResult = "cancelled" | "requested" | "finished";

export async function cancelRun(
  store: Pick<JournalStore, "open" | "request">,
  run: string,
  { clock = systemClock }: { readonly clock?: Clock | undefined } = {},
): Promise<CancelResult> {
  let handle: Awaited<ReturnType<JournalStore["open"]>>;
  try {
    // As its owner: nothing can change between what is read and the end that is recorded.
    handle = await store.open(run, { mode: "resume" });
  } catch (thrown) {
    if (!AtomicError.is(thrown, "RUN_OWNED")) throw thrown;
    await store.request(run, { type: "cancel" });
    return "requested";
  }
  try {
    let at = clock.now();
    let outcome: unknown;
    for await (const event of handle.history) {
      // Times of a record never go back.
      at = Math.max(at, event.at);
      if (event.type === "run.finished") outcome = event["outcome"];
      else if (event.type === "run.started") outcome = undefined;
    }
    if (outcome === "completed" || outcome === "cancelled") return "finished";
    await handle.append([{ type: "run.finished", outcome: "cancelled", at }], {
      status: "cancelled",
      dueAt: undefined,
    });
    // Pending requests to it will never be handled.
    for (const { id } of await handle.pending()) await handle.acknowledge(id);
    return "cancelled";
  } finally {
    await handle.close();
  }
}
