// When the next snapshot is due: when the events since the last one are larger than it, so that snapshots never
// dominate the writing.

import type { JournalHandle } from "../../../journal/port.ts";

export class SnapshotPace {
  #events = 0;
  #bytesBefore = { events: 0, snapshots: 0 };
  #lastSize = 0;

  /** Includes replayed events: a run that is resumed often, and does little each time, still gets its snapshot. */
  noteEvents(count: number): void {
    this.#events += count;
  }

  isDue({ bytesWritten }: Pick<JournalHandle, "bytesWritten">, minEvents: number): boolean {
    return this.#events >= minEvents && bytesWritten.events - this.#bytesBefore.events >= 4 * this.#lastSize;
  }

  noteBegin(): void {
    this.#events = 0;
  }

  noteSaved({ bytesWritten }: Pick<JournalHandle, "bytesWritten">): void {
    this.#lastSize = bytesWritten.snapshots - this.#bytesBefore.snapshots;
    this.#bytesBefore = { ...bytesWritten };
  }
}
