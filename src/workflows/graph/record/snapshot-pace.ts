// When the next snapshot is due: when what was appended since the last one outweighs it, so that snapshots never dominate
// the writing.

import type { JournalHandle } from "../../../journal/port.ts";

export class SnapshotPace {
  #events = 0;
  #bytesBefore = { events: 0, snapshots: 0 };
  #lastSize = 0;

  /** Replayed ones too: a run that is resumed again and again, and does little each time, gets its snapshot. */
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
