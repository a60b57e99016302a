// What the agents of a run do, seen from another process, or at an earlier moment: the transcript's entries, folded
// beside the record. Where there is no transcript, nothing is live.

import type { RunEvent } from "../events/run-event.ts";
import { createDeferred } from "../lib/deferred.ts";
import { readTranscript } from "../transcript/transcript-reader.ts";
import type { TranscriptEntry } from "../transcript/transcript-entry.ts";
import { type LiveView, nextLive, nothingLive } from "../workflows/sessions/live-view.ts";
import { nextView, type SessionView } from "../workflows/sessions/session-view.ts";
import { liveTurns } from "../workflows/sessions/turn-views.ts";

/** A turn's first entry may be written a moment before the record has it. */
const slackMs = 1000;

/** The time from which on entries can be about turns that are under way. */
export function liveSince(view: SessionView): number {
  return Math.min(view.updatedAt, ...liveTurns(view).map(({ startedAt }) => startedAt)) - slackMs;
}

/** The view with what its agents did right then. `until`: entries after this time don't count. */
export function withLive(view: SessionView, transcript: string, until?: number): SessionView {
  let live = nothingLive;
  for (const entry of readTranscript(transcript, { since: liveSince(view), until })) live = nextLive(live, entry);
  return { ...view, live: withoutEnded(live, view) };
}

/** Every view of a run from this one on, until its events end. A reader that is slow gets the newest, not all. */
export async function* watchViews(
  first: SessionView,
  sources: { readonly events: AsyncIterable<RunEvent>; readonly entries: AsyncIterable<TranscriptEntry> },
): AsyncGenerator<SessionView> {
  let view = first;
  let isOver = false;
  let changed = createDeferred<void>();
  const update = (next: SessionView): void => {
    if (next === view) return;
    view = next;
    changed.resolve();
  };
  const fold = async (): Promise<void> => {
    for await (const event of sources.events) update(settled(nextView(view, event)));
  };
  const foldLive = async (): Promise<void> => {
    for await (const entry of sources.entries) {
      const live = nextLive(view.live, entry);
      if (live !== view.live) update(settled({ ...view, live }));
    }
  };
  const folded = Promise.all([fold(), foldLive()]).finally(() => {
    isOver = true;
    changed.resolve();
  });
  // A reader that stops watching does not need the error.
  folded.catch(() => undefined);
  for (let shown: SessionView | undefined; ;) {
    if (shown !== view) yield (shown = view);
    else if (isOver) break;
    else await changed.promise;
    changed = createDeferred();
  }
  await folded;
}

function settled(view: SessionView): SessionView {
  const live = withoutEnded(view.live, view);
  return live === view.live ? view : { ...view, live };
}

/** A process that was killed wrote no end of its turns; the record of the next one says that they are over. */
function withoutEnded(live: LiveView, { turns }: SessionView): LiveView {
  let left = live;
  for (const { turn } of live.values()) if (turns.get(turn)?.outcome !== undefined) left = left.delete(turn);
  return left;
}
