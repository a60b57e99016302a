// Reads a transcript, even while another process writes it. A file that is missing, torn, newer or forged gives fewer
// entries, never an error: the run does not depend on it.

import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from "node:fs";
import { isSystemError } from "../lib/atomic-file.ts";
import type { Clock } from "../lib/clock.ts";
import { type FailureEntry, readTranscriptEntry, type TranscriptEntry } from "./transcript-entry.ts";
import { earlierPart } from "./transcript-writer.ts";

/** Less than a quarter of a second together with the writer's delay, even if timers are late. */
const pollMs = 65;

const pieceBytes = 256 * 1024;

/** Atomic writes no longer entries, so a longer line is not one of its own. */
const maxLineBytes = 4 * 1024 * 1024;

export interface TranscriptSpan {
  /** Skips older entries without reading them. */
  readonly since?: number | undefined;
  /** Stops at the first entry that is newer. */
  readonly until?: number | undefined;
  /** Skips entries of other types without parsing them. */
  readonly only?: TranscriptEntry["type"] | undefined;
}

export function* readTranscript(path: string, span: TranscriptSpan = {}): Generator<TranscriptEntry> {
  const { since, until, only } = span;
  for (const entry of partsOf(path, span)) {
    if (until !== undefined && entry.at > until) return;
    if (only !== undefined && entry.type !== only) continue;
    if (since === undefined || entry.at >= since) yield entry;
  }
}

function* partsOf(path: string, { since, only }: TranscriptSpan): Generator<TranscriptEntry> {
  const earlier = inoOf(earlierPart(path));
  if (earlier !== undefined) yield* new TranscriptFile(earlierPart(path), { since, only }).read();
  for (const entry of new TranscriptFile(path, { since, only }).read())
    if (earlier === undefined || !isContinuation(entry)) yield entry;
}

/** The first entry of a continued file: what came before is in the earlier part, or was dropped. */
function isContinuation(entry: TranscriptEntry): boolean {
  return entry.type === "transcript.truncated" && entry.reason === "size";
}

/** The entries so far, or since this time, and new ones until the signal aborts. */
export async function* followTranscript(
  path: string,
  clock: Clock,
  signal: AbortSignal,
  since?: number,
): AsyncGenerator<TranscriptEntry> {
  yield* new TranscriptFile(earlierPart(path), { since }).read();
  const file = new TranscriptFile(path, { since });
  for (;;) {
    const isLast = signal.aborted;
    for (const entry of file.read()) if (!isContinuation(entry)) yield entry;
    if (isLast) return;
    await clock.sleep(pollMs, signal).catch(() => undefined);
  }
}

/** What an attempt threw; the last such entry, because a resumed run may count its attempts anew. */
export function findFailure(
  path: string,
  { key, attempt }: Pick<FailureEntry, "key" | "attempt">,
): FailureEntry | undefined {
  let found: FailureEntry | undefined;
  for (const entry of readTranscript(path, { only: "node.failed" }))
    if (entry.type === "node.failed" && entry.key === key && entry.attempt === attempt) found = entry;
  return found;
}

type FileOptions = Pick<TranscriptSpan, "since" | "only">;

/** A file that grows, is replaced by a new one, or does not exist yet. */
class TranscriptFile {
  readonly #path: string;
  readonly #options: FileOptions;
  /** Text that every wanted line contains, as the writer writes it. Other lines may contain it too. */
  readonly #wanted: Buffer | undefined;
  #ino: number | undefined;
  #offset = 0;
  #rest = Buffer.alloc(0);

  constructor(path: string, options: FileOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.#wanted = options.only === undefined ? undefined : Buffer.from(`"type":"${options.only}"`);
  }

  /** The complete lines that were added since the last call. */
  *read(): Generator<TranscriptEntry> {
    if (this.#isUnchanged()) return;
    yield* this.#restOfEarlier();
    const fd = this.#open();
    if (fd !== undefined) yield* this.#readFrom(fd);
  }

  /** A single stat, which is all that most polls need. */
  #isUnchanged(): boolean {
    const now = this.#ino === undefined ? undefined : statOf(this.#path);
    return now !== undefined && now.ino === this.#ino && now.size === this.#offset;
  }

  /** The writer has started a new file: what it added to the old one before that is now in the earlier part. */
  *#restOfEarlier(): Generator<TranscriptEntry> {
    if (this.#ino === undefined || inoOf(this.#path) === this.#ino) return;
    const earlier = earlierPart(this.#path);
    const fd = inoOf(earlier) === this.#ino ? openToRead(earlier) : undefined;
    if (fd !== undefined) yield* this.#readFrom(fd);
  }

  *#readFrom(fd: number): Generator<TranscriptEntry> {
    try {
      const piece = Buffer.allocUnsafe(pieceBytes);
      for (let length = readSync(fd, piece, 0, pieceBytes, this.#offset); length > 0;) {
        this.#offset += length;
        yield* this.#entries(piece.subarray(0, length));
        length = readSync(fd, piece, 0, pieceBytes, this.#offset);
      }
    } finally {
      closeSync(fd);
    }
  }

  *#entries(piece: Buffer): Generator<TranscriptEntry> {
    const all = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (let line = this.#nextLine(all, 0); line !== undefined; line = this.#nextLine(all, line.end + 1)) {
      const { start, end } = line;
      const entry = end - start > maxLineBytes ? undefined : readTranscriptEntry(all.toString("utf8", start, end));
      if (entry !== undefined) yield entry;
    }
    const rest = all.subarray(all.lastIndexOf(0x0a) + 1);
    this.#rest = rest.length > maxLineBytes ? Buffer.alloc(0) : Buffer.from(rest);
  }

  /**
   * The next complete line that may be wanted, from the start of a line on. Searching for the text skips the others.
   */
  #nextLine(all: Buffer, from: number): { readonly start: number; readonly end: number } | undefined {
    const at = this.#wanted === undefined ? from : all.indexOf(this.#wanted, from);
    const end = at === -1 ? -1 : all.indexOf(0x0a, at);
    if (end === -1) return undefined;
    return { start: this.#wanted === undefined ? from : all.lastIndexOf(0x0a, at) + 1, end };
  }

  /** The position may be inside a line, whose rest is skipped. */
  #start(fd: number, size: number): number {
    const { since } = this.#options;
    return since === undefined ? 0 : placeOf(since, fd, size);
  }

  #open(): number | undefined {
    const fd = openToRead(this.#path);
    if (fd === undefined) return undefined;
    const { ino, size } = fstatSync(fd);
    // The writer has started a new file, or this one was truncated.
    if (ino !== this.#ino || size < this.#offset) {
      this.#offset = this.#start(fd, size);
      this.#rest = Buffer.alloc(0);
    }
    this.#ino = ino;
    return fd;
  }
}

/** A position before all entries that are not older than this, by binary search: entries are in order of time. */
function placeOf(since: number, fd: number, size: number): number {
  let low = 0;
  let high = size;
  while (high - low > pieceBytes) {
    const middle = Math.floor((low + high) / 2);
    const at = timeAfter(fd, middle, high);
    if (at !== undefined && at < since) low = middle;
    else high = middle;
  }
  return low;
}

/** The time of the first complete entry between two positions. */
function timeAfter(fd: number, from: number, to: number): number | undefined {
  const piece = Buffer.alloc(pieceBytes);
  const length = readSync(fd, piece, 0, Math.min(pieceBytes, to - from), from);
  let start = piece.indexOf(0x0a) + 1;
  for (
    let end = piece.indexOf(0x0a, start);
    start > 0 && end !== -1 && end < length;
    end = piece.indexOf(0x0a, start)
  ) {
    const entry = readTranscriptEntry(piece.toString("utf8", start, end));
    if (entry !== undefined) return entry.at;
    start = end + 1;
  }
  return undefined;
}

/** Undefined for a file that is missing, unreadable or not a regular file. */
function openToRead(path: string): number | undefined {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return undefined;
  }
}

function inoOf(path: string): number | undefined {
  return statOf(path)?.ino;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return undefined;
  }
}
