// The one segment that this process writes. An append is one line, the new acknowledged length in the header, and one
// sync. Writes go to a fixed offset, not to the end: the next append overwrites what a failed one left behind.

import { closeSync, constants, fstatSync } from "node:fs";
import { systemCode, writeAll } from "../../lib/atomic-file.ts";
import { syncData } from "../../lib/full-sync.ts";
import { openPlainFile, type RunFolder, segmentPath } from "./run-folder.ts";
import type { IndexEntry } from "../port.ts";
import {
  type Accepted,
  acceptedOffset,
  emptySegmentState,
  formatAccepted,
  formatChanging,
  formatState,
  type SegmentHeader,
  type SegmentState,
  stateOffset,
} from "./segment-header.ts";

export class SegmentWriter {
  readonly segment: number;
  readonly #fd: number;
  #state: SegmentState;
  #accepted: SegmentHeader["accepted"];
  #index: IndexEntry | undefined;
  #isBroken = false;

  constructor(folder: RunFolder, header: SegmentHeader) {
    this.segment = header.segment;
    this.#state = header.state;
    this.#accepted = header.accepted;
    this.#index = header.index;
    this.#fd = openPlainFile(folder, segmentPath(folder, header.segment), constants.O_RDWR);
  }

  get state(): SegmentState {
    return this.#state;
  }

  /** After a failed sync it is unknown what reached the disk; only reopening the run can show it. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Records how much of the previous segment counts, and continues its numbers. */
  accept(accepted: Accepted, index: IndexEntry | undefined, at: number): void {
    this.#state = emptySegmentState(accepted.seq, at);
    this.#accepted = accepted;
    this.#index = index;
    this.#writeChanging();
    syncData(this.#fd);
  }

  append(line: string, count: number, at: number, index?: IndexEntry): void {
    const before = { state: this.#state, index: this.#index };
    const { bytes: start, seq } = this.#state;
    const bytes = Buffer.from(line);
    writeAll(this.#fd, bytes, start);
    try {
      const state = { isOpen: true, bytes: start + bytes.length, seq: seq + count, baseBytes: start, baseSeq: seq, at };
      if (index === undefined) this.#writeState(state);
      else {
        this.#state = state;
        this.#index = index;
        this.#writeChanging();
      }
      syncData(this.#fd);
      if (fstatSync(this.#fd).nlink === 0) throw Object.assign(new Error("the file was deleted"), { code: "ENOENT" });
    } catch (error) {
      this.#isBroken = true;
      this.#takeBack(before);
      throw error;
    }
  }

  /** Best effort: without it, other processes still find this one dead, and this one remembers that it closed. */
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

  #writeChanging(): void {
    const changing = { state: this.#state, accepted: this.#accepted, index: this.#index };
    writeAll(this.#fd, Buffer.from(formatChanging(changing)), stateOffset);
  }

  #takeBack(before: { readonly state: SegmentState; readonly index: IndexEntry | undefined }): void {
    this.#state = before.state;
    this.#index = before.index;
    try {
      this.#writeChanging();
    } catch (error) {
      // The disk refuses this too. The next owner reads what is there.
      if (systemCode(error) === undefined) throw error;
    }
  }
}

/** Records how much of the previous segment counts, for an owner that died before it could. */
export function acceptFor(folder: RunFolder, header: SegmentHeader, accepted: Accepted): void {
  const fd = openPlainFile(folder, segmentPath(folder, header.segment), constants.O_RDWR);
  try {
    writeAccepted(fd, accepted, emptySegmentState(accepted.seq, header.state.at));
    syncData(fd);
  } finally {
    closeSync(fd);
  }
}

function writeAccepted(fd: number, accepted: Accepted, state: SegmentState): void {
  writeAll(fd, Buffer.from(formatState(state)), stateOffset);
  writeAll(fd, Buffer.from(formatAccepted(accepted)), acceptedOffset);
}
