// What a turn uses, put on record while it is under way: a process that is killed in the middle of it does not lose the
// cost. Reports are grouped for a moment, and none is stored for a turn that ends meanwhile: its end has the total.

import type { Clock } from "../lib/clock.ts";
import type { RecordedUsage } from "../events/reported-events.ts";
import { addUsage, noUsage, type Usage } from "./usage.ts";

export interface UsageRecorder {
  add(usage: Usage): void;
  /** The turn is over. */
  stop(): void;
}

/** At most this much of a turn is lost to a kill. */
const delayMs = 20;

/** One for all turns: an error for each, with its stack, would cost more than the report. */
const turnIsOver = new DOMException("The turn is over.", "AbortError");

/** `record` gets the total of the turn so far. */
export function createRecordedUsage(clock: Clock, record: (usage: RecordedUsage) => void): UsageRecorder {
  const stopped = new AbortController();
  let total = noUsage;
  let isWaiting = false;

  async function recordSoon(): Promise<void> {
    isWaiting = true;
    // An aborted sleep rejects: the turn has ended.
    const isOver = await clock.sleep(delayMs, stopped.signal).then(
      () => false,
      () => true,
    );
    isWaiting = false;
    if (!isOver && !stopped.signal.aborted) record(usageFacts(total));
  }

  return {
    add(usage) {
      total = addUsage(total, usage);
      if (!isWaiting) void recordSoon();
    },
    stop: () => stopped.abort(turnIsOver),
  };
}

/** As it is stored. */
export function usageFacts(usage: Usage): RecordedUsage {
  return { ...usage, costUsd: usage.costUsd ?? null };
}
