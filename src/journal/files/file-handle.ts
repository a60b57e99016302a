// A run in a folder that this process owns, until a newer segment appears next to its own.
//
// The handle checks for a newer segment before it writes a record (a replaced owner stores nothing) and again after the
// record is durable. The new owner reads the acknowledged length after its segment exists, so one of the two always
// notices the other: either the new owner accepts the record, or the record is not reported as stored.

import { SyncItems } from "../../lib/sync-items.ts";
import type { Clock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { noteRelease, type Owner } from "../owner.ts";
import { watchOwner } from "../owner-watch.ts";
import { pauseBetweenPolls } from "../poll.ts";
import type { IndexEntry, JournalEvent, JournalHandle, PendingRequest, Snapshot, StoredEvent } from "../port.ts";
import { ownerLost } from "../refusals.ts";
import { fileFailure } from "./file-failure.ts";
import { formatRecord } from "./record-line.ts";
import { newRequests, removeRequest } from "./request-files.ts";
import { hasSegment, type RunFolder, segmentPath } from "./run-folder.ts";
import { eventsFrom, type SegmentPosition, readHeader, runStart, type Segment } from "./segment-chain.ts";
import type { SegmentWriter } from "./segment-writer.ts";
import { type FoundSnapshot, writeSnapshot } from "./snapshot-files.ts";

// A snapshot points to the nearest mark in the journal. Marks this far apart are close enough, and stay few.
const appendsPerMark = 256;

export interface OwnedFolder {
  readonly folder: RunFolder;
  readonly owner: Owner;
  readonly writer: SegmentWriter;
  /** The segments before the one that is written. */
  readonly chain: readonly Segment[];
  readonly snapshot: FoundSnapshot | undefined;
  readonly clock: Clock;
  readonly onClosed: (handle: FileHandle) => void;
}

export class FileHandle implements JournalHandle {
  readonly run: string;
  readonly snapshot: Snapshot | undefined;
  readonly history: AsyncIterable<StoredEvent>;
  readonly bytesWritten = { events: 0, snapshots: 0 };
  readonly #of: OwnedFolder;
  readonly #closing = new AbortController();
  readonly #marks: SegmentPosition[];
  readonly #lost = new AbortController();
  readonly #stopWatching: () => void;
  #appends = 0;

  constructor(of: OwnedFolder) {
    const { folder, chain, snapshot } = of;
    this.run = folder.run;
    this.#of = of;
    this.snapshot = snapshot && { seq: snapshot.seq, body: snapshot.body };
    this.history = new SyncItems(eventsFrom(folder, chain, snapshot?.mark ?? runStart, (snapshot?.seq ?? 0) + 1));
    this.#marks = [snapshot?.mark ?? runStart, this.#here()];
    this.#stopWatching = watchOwner({
      look: () => (this.#isReplaced() ? this.#refusal() : undefined),
      lost: this.#lost,
    });
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get lastSeq(): number {
    return this.#of.writer.state.seq;
  }

  append(events: readonly JournalEvent[], entry?: IndexEntry): readonly StoredEvent[] {
    this.#checkOwner();
    if (events.length === 0) return [];
    const now = this.#of.clock.now();
    const first = this.lastSeq + 1;
    const line = formatRecord(first, now, events);
    this.#write(() => this.#of.writer.append(line, events.length, now, entry));
    if (this.#isReplaced() && !this.#wasAccepted()) throw this.#lose();
    this.bytesWritten.events += line.length;
    if (++this.#appends % appendsPerMark === 0) this.#marks.push(this.#here());
    return events.map((event, i) => ({ ...event, seq: first + i, at: event.at ?? now }));
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#checkOwner();
    const here = this.#here();
    const mark = snapshot.seq === this.lastSeq ? here : this.#marks.findLast((known) => known.next <= snapshot.seq + 1);
    this.#write(() => {
      this.bytesWritten.snapshots += writeSnapshot(this.#of.folder, snapshot, mark ?? runStart);
    });
  }

  pending(): readonly PendingRequest[] {
    return this.#read(() => newRequests(this.#of.folder, new Set()));
  }

  async *requests(signal: AbortSignal): AsyncGenerator<PendingRequest> {
    const signals = [signal, this.#closing.signal];
    const isOver = (): boolean => signals.some(({ aborted }) => aborted);
    const seen = new Set<string>();
    while (!isOver()) {
      for (const request of this.#read(() => newRequests(this.#of.folder, seen))) {
        if (isOver()) return;
        yield request;
      }
      await pauseBetweenPolls({ signals, keepsAlive: false });
    }
  }

  acknowledge(requestId: string): void {
    this.#checkOwner();
    this.#write(() => removeRequest(this.#of.folder, requestId));
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#stopWatching();
    const isOwner = !this.#lost.signal.aborted && !this.#isReplaced();
    if (!this.#of.writer.close(isOwner)) noteRelease(this.#of.owner);
    this.#of.onClosed(this);
  }

  #here(): SegmentPosition {
    const { segment, state } = this.#of.writer;
    return { segment, byte: state.bytes, next: state.seq + 1 };
  }

  #isReplaced(): boolean {
    return hasSegment(this.#of.folder, this.#of.writer.segment + 1);
  }

  /** True if the new owner accepted the last record. It is stored then, although this handle can store no more. */
  #wasAccepted(): boolean {
    const { folder, writer } = this.#of;
    const { accepted } = readHeader(folder, segmentPath(folder, writer.segment + 1)).header;
    return accepted !== "pending" && accepted.bytes >= writer.state.bytes;
  }

  #checkOwner(): void {
    if (this.#closing.signal.aborted) throw ownerLost(this.run, this.lastSeq, "it was closed");
    if (this.#lost.signal.aborted || this.#isReplaced()) throw this.#lose();
  }

  #lose(): AtomicError {
    const refusal = this.#refusal();
    this.#lost.abort(refusal);
    return refusal;
  }

  #refusal(): AtomicError {
    return ownerLost(this.run, this.lastSeq, "another one took over");
  }

  #write(body: () => void): void {
    const { folder, writer } = this.#of;
    const { lastSeq } = this;
    try {
      if (writer.isBroken) throw Object.assign(new Error("an earlier write failed"), { code: "EIO" });
      body();
    } catch (error) {
      throw fileFailure(error, { run: this.run, place: folder.path, doing: "writing", lastSeq });
    }
  }

  #read<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw fileFailure(error, { run: this.run, place: this.#of.folder.path, doing: "reading" });
    }
  }
}
