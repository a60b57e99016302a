// The one segment that this process writes. An append is one line, the new acknowledged length in the header, and one
// sync. Writes go to a fixed place, not to the end: what a failed append left behind is written over by the next one.

import { closeSync, constants, fstatSync } from "node:fs";
import { systemCode, writeAll } from "../../lib/atomic-file.ts";
import { syncData } from "../../lib/full-sync.ts";
import { openPlainFile, type RunFolder, segmentPath } from "./run-folder.ts";
import {
  type Accepted,
  acceptedOffset,
  emptyState,
  formatAccepted,
  formatState,
  type SegmentHeader,
  type SegmentState,
  stateOffset,
} from "./segment-header.ts";

export class SegmentWriter {
  readonly segment: number;
  readonly #fd: number;
  #state: SegmentState;
  #isBroken = false;

  constructor(folder: RunFolder, header: SegmentHeader) {
    this.segment = header.segment;
    this.#state = header.state;
    this.#fd = openPlainFile(folder, segmentPath(folder, header.segment), constants.O_RDWR);
  }

  get state(): SegmentState {
    return this.#state;
  }

  /** After a failed sync nobody knows what reached the disk: only opening the run again can tell. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Writes down what counts of the segment before, and starts numbering after it. */
  accept(accepted: Accepted, at: number): void {
    this.#state = emptyState(accepted.seq, at);
    writeAccepted(this.#fd, accepted, this.#state);
    syncData(this.#fd);
  }

  append(line: string, count: number, at: number): void {
    const before = this.#state;
    const bytes = Buffer.from(line);
    writeAll(this.#fd, bytes, before.bytes);
    try {
      this.#writeState({
        isOpen: true,
        bytes: before.bytes + bytes.length,
        seq: before.seq + count,
        baseBytes: before.bytes,
        baseSeq: before.seq,
        at,
      });
      syncData(this.#fd);
      if (fstatSync(this.#fd).nlink === 0) throw Object.assign(new Error("the file was deleted"), { code: "ENOENT" });
    } catch (error) {
      this.#isBroken = true;
      this.#takeBack(before);
      throw error;
    }
  }

  /** Best effort: a process that could not say that it closed is found dead, or known here as closed. */
  close(saysSo: boolean): boolean {
    try {
      if (saysSo) this.#writeState({ ...this.#state, isOpen: false });
      return saysSo;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    } finally {
      closeSync(this.#fd);
    }
  }

  #writeState(state: SegmentState): void {
    writeAll(this.#fd, Buffer.from(formatState(state)), stateOffset);
    this.#state = state;
  }

  #takeBack(before: SegmentState): void {
    try {
      this.#writeState(before);
    } catch {
      this.#state = before;
    }
  }
}

/** Writes down, in place of an owner that died before it could, what counts of the segment before its own. */
export function acceptFor(folder: RunFolder, header: SegmentHeader, accepted: Accepted): void {
  const fd = openPlainFile(folder, segmentPath(folder, header.segment), constants.O_RDWR);
  try {
    writeAccepted(fd, accepted, emptyState(accepted.seq, header.state.at));
    syncData(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAccepted(fd: number, accepted: Accepted, state: SegmentState): void {
  writeAll(fd, Buffer.from(formatState(state)), stateOffset);
  writeAll(fd, Buffer.from(formatAccepted(accepted)), acceptedOffset);
}
