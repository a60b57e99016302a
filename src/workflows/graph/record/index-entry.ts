// What lists show of a run without reading its events: its status, and when it is due. Computed from what is
// about to be stored, and stored with it.

import type { IndexEntry, JournalEvent, RecordedStatus } from "../../../journal/port.ts";
import type { OpenSteps } from "./open-steps.ts";

/** Follows one run; `entryFor` is asked for every append, in order. */
export class IndexedRun {
  readonly #open: OpenSteps;
  #status: RecordedStatus = "running";

  constructor(open: OpenSteps) {
    this.#open = open;
  }

  /** Undefined when these events change nothing that is shown. */
  entryFor(events: readonly JournalEvent[], now: number): IndexEntry | undefined {
    let isChanged = false;
    for (const event of events) {
      const status = statusAfter(event);
      if (status !== undefined) this.#status = status;
      isChanged ||= status !== undefined || isWait(event);
    }
    if (!isChanged) return undefined;
    const isWaiting = this.#status === "running" || this.#status === "paused";
    return { status: this.#status, dueAt: isWaiting ? this.#open.earliestWake(now) : undefined };
  }
}

function statusAfter(event: JournalEvent): RecordedStatus | undefined {
  switch (event.type) {
    case "run.started":
      return "running";
    case "run.paused":
      return "paused";
    case "run.finished": {
      const { outcome } = event;
      return outcome === "failed" || outcome === "cancelled" ? outcome : "completed";
    }
    default:
      return undefined;
  }
}

function isWait(event: JournalEvent): boolean {
  return event.type === "wait.started" || (event.type === "node.failed" && event["retryAt"] !== undefined);
}
