// The segments of a run as one list of records. Decides how much of each segment counts, and refuses damaged ones.
//
// Of the last segment, the acknowledged part counts; of each earlier one, the part that the next owner accepted.

import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { currentProcess, isSameBoot } from "../../lib/process-identity.ts";
import type { StoredEvent } from "../port.ts";
import { journalCorrupt, journalNewer } from "./file-failure.ts";
import { type JournalLine, readJournalLines } from "./read-lines.ts";
import { eventsIn, parseRecord, type RecordLine } from "./record-line.ts";
import { countSegments, openPlainFile, type RunFolder, segmentPath, withFile } from "./run-folder.ts";
import { headerBytes, parseHeader, type SegmentHeader } from "./segment-header.ts";

interface ReadSegment {
  readonly header: SegmentHeader;
  readonly path: string;
  readonly size: number;
}

export interface Segment extends ReadSegment {
  /** The event before its first one. */
  readonly seqBefore: number;
  /** The part that counts ends at this byte and with this event. */
  readonly bytes: number;
  readonly seq: number;
}

/** A place between two records. */
export interface SegmentPosition {
  readonly segment: number;
  readonly byte: number;
  /** The number of the first event after it. */
  readonly next: number;
}

export const runStart: SegmentPosition = { segment: 1, byte: headerBytes, next: 1 };

/** The segments of a run; empty if there are none. Reads headers only. */
export function readChain(folder: RunFolder): readonly Segment[] {
  const count = countSegments(folder);
  const read: ReadSegment[] = [];
  for (let number = 1; number <= count; number++) {
    const path = segmentPath(folder, number);
    read.push({ ...readHeader(folder, path), path });
  }
  let seqBefore = 0;
  return read.map((found, i) => {
    const segment = { ...found, seqBefore, ...counted(folder, found, read[i + 1], seqBefore) };
    checkSegment(folder, segment, i + 1);
    seqBefore = segment.seq;
    return segment;
  });
}

export function readHeader(folder: RunFolder, path: string): { header: SegmentHeader; size: number } {
  // The writer may be in the middle of an update; then the checksum is wrong for a moment only.
  for (let tries = 1; ; tries++) {
    const { line, size } = withFile(folder, path, (fd) => {
      const buffer = Buffer.alloc(headerBytes);
      const line = buffer.toString("utf8", 0, readSync(fd, buffer, 0, headerBytes, 0));
      // Read after the header, never before: if a record is added in between, the header counts it, and the smaller
      // size would look like a file that was cut off.
      return { line, size: fstatSync(fd).size };
    });
    const parsed = size === 0 ? { fault: "the file is empty (0 bytes)" } : parseHeader(firstLine(line));
    if ("header" in parsed) return { header: parsed.header, size };
    if ("newer" in parsed) throw journalNewer(folder.run, path, parsed.newer);
    if (tries === 3) throw journalCorrupt({ run: folder.run, file: path, what: parsed.fault, record: 1 });
  }
}

/** Every record from the mark on, checked. */
export function* recordsFrom(
  folder: RunFolder,
  chain: readonly Segment[],
  mark: SegmentPosition,
): Generator<RecordLine> {
  let { next, byte } = mark;
  for (const segment of chain.slice(mark.segment - 1)) {
    for (const record of recordsOf(folder, segment, byte, next)) {
      yield record;
      next = record.first + record.count;
    }
    if (next !== segment.seq + 1) {
      const what = `its last record is ${next - 1}, and its header says ${segment.seq}`;
      throw journalCorrupt({ run: folder.run, file: segment.path, what, record: next, byte: segment.bytes });
    }
    byte = headerBytes;
  }
}

/** The records of one segment between a byte and its counted end. */
function* recordsOf(folder: RunFolder, segment: Segment, from: number, next: number): Generator<RecordLine> {
  if (from >= segment.bytes) return;
  for (const { start, bytes } of linesOf(folder, segment, from)) {
    const record = parseRecord(bytes);
    const at = { run: folder.run, file: segment.path, record: next, byte: start };
    if (typeof record === "string") throw journalCorrupt({ ...at, what: `record ${next} can't be read: ${record}` });
    if (record.first !== next) {
      throw journalCorrupt({ ...at, what: `record ${next} is missing; record ${record.first} is in its place` });
    }
    yield record;
    next += record.count;
  }
}

export function* eventsFrom(
  folder: RunFolder,
  chain: readonly Segment[],
  mark: SegmentPosition,
  from: number,
): Generator<StoredEvent> {
  for (const record of recordsFrom(folder, chain, mark)) {
    if (record.first + record.count <= from) continue;
    for (const event of eventsIn(record)) if (event.seq >= from) yield event;
  }
}

/** Where to start reading to reach an event: the start of the segment that holds it. */
export function markFor(chain: readonly Segment[], seq: number): SegmentPosition {
  const index = chain.findLastIndex((segment) => segment.seqBefore < seq);
  if (index < 1) return runStart;
  return { segment: index + 1, byte: headerBytes, next: chain[index]!.seqBefore + 1 };
}

function* linesOf(folder: RunFolder, segment: Segment, from: number): Generator<JournalLine> {
  const fd = openPlainFile(folder, segment.path, constants.O_RDONLY);
  try {
    yield* readJournalLines(fd, from, segment.bytes);
  } finally {
    closeSync(fd);
  }
}

function checkSegment(folder: RunFolder, segment: Segment, number: number): void {
  const { header, path, size, bytes, seq, seqBefore } = segment;
  const refuse = (what: string): Error => journalCorrupt({ run: folder.run, file: path, what });
  if (header.run !== folder.run) throw refuse(`it belongs to run ${header.run}`);
  if (header.segment !== number) throw refuse(`it is segment ${header.segment} under the name of segment ${number}`);
  if (seq < seqBefore) throw refuse(`it ends with record ${seq}, and the segment before it with ${seqBefore}`);
  if (size >= bytes) return;
  const what = `${bytes - size} of its ${bytes} acknowledged bytes are missing: it was cut off`;
  throw journalCorrupt({ run: folder.run, file: path, what, ...endOfGood(folder, segment) });
}

/** Where the intact records end, in a segment that is cut off. */
function endOfGood(folder: RunFolder, segment: Segment): { record: number; byte: number } {
  let record = segment.seqBefore + 1;
  let byte = headerBytes;
  for (const { start, bytes } of linesOf(folder, segment, headerBytes)) {
    const read = parseRecord(bytes);
    if (typeof read === "string" || read.first !== record) break;
    record += read.count;
    byte = start + bytes.length;
  }
  return { record, byte };
}

type Counted = Pick<Segment, "bytes" | "seq">;

function counted(folder: RunFolder, own: ReadSegment, next: ReadSegment | undefined, seqBefore: number): Counted {
  // Its owner died before it had accepted the previous segment, so it has written no record.
  if (own.header.accepted === "pending") return { bytes: headerBytes, seq: seqBefore };
  const accepted = next?.header.accepted ?? "pending";
  return accepted === "pending" ? lastState(folder, own) : { bytes: accepted.bytes, seq: accepted.seq };
}

/** How much counts of a segment that no later owner has accepted yet. */
function lastState(folder: RunFolder, segment: ReadSegment): Counted {
  const { state, owner } = segment.header;
  const here = currentProcess();
  // Where the system does not say when it was started, a power cut can't be ruled out.
  const mayHavePowerCut = state.isOpen && owner.process.machine === here.machine && !isSameBoot(owner.process, here);
  const isUsable = !mayHavePowerCut || state.baseBytes >= state.bytes || isWhole(folder, segment);
  if (isUsable) return { bytes: state.bytes, seq: state.seq };
  // The machine stopped while the last record was on its way to the disk: the header arrived, the record did not. No
  // sync had returned, so no caller believes it is stored. If the machine had kept running, it would be damage.
  return { bytes: state.baseBytes, seq: state.baseSeq };
}

function isWhole(folder: RunFolder, { path, header, size }: ReadSegment): boolean {
  const { baseBytes, bytes } = header.state;
  if (size < bytes) return false;
  return withFile(folder, path, (fd) => {
    const line = Buffer.alloc(bytes - baseBytes);
    return readSync(fd, line, 0, line.length, baseBytes) === line.length && typeof parseRecord(line) !== "string";
  });
}

function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}
