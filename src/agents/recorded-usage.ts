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

/** `record` gets the total of the turn so far. */
export function createRecordedUsage(clock: Clock, record: (usage: RecordedUsage) => void): UsageRecorder {
  let total = noUsage;
  let isWaiting = false;
  let isOver = false;

  // Not aborted when the turn ends: a signal for each turn would cost more than the moment that it sleeps too long.
  async function recordSoon(): Promise<void> {
    isWaiting = true;
    await clock.sleep(delayMs);
    isWaiting = false;
    if (!isOver) record(usageFacts(total));
  }

  return {
    add(usage) {
      total = addUsage(total, usage);
      if (!isWaiting) void recordSoon();
    },
    stop: () => {
      isOver = true;
    },
  };
}

/** As it is stored. */
export function usageFacts(usage: Usage): RecordedUsage {
  return { ...usage, costUsd: usage.costUsd ?? null };
}
