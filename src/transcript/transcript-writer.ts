// Writes what agents say and do to a file of the run: appended a few times a second, bounded, with secrets masked,
// readable by this user only. Entries that can't be written are dropped, with a note; a transcript never stops or slows
// a run.

import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { isSystemError } from "../lib/atomic-file.ts";
import type { Clock } from "../lib/clock.ts";
import { type TranscriptFacts, transcriptVersion } from "./transcript-entry.ts";

export interface TranscriptWriterOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly redact?: ((text: string) => string) | undefined;
  /** Called before each write: adds entries that were deferred. */
  readonly collect?: (() => void) | undefined;
  /** The maximum size of one file. The previous file is kept too. Default: 32 MB. */
  readonly maxBytes?: number | undefined;
}

/** A reader in another process sees an entry after this delay and its own poll: less than 250 ms in all. */
const delayMs = 165;

/**
 * The longest entry. Callers clip what they add, so that only what they can't foresee is longer: it is left out with a
 * note, because readers and uploads take a line as a whole.
 */
const maxEntryBytes = 1024 * 1024;

/** How much is buffered while the disk refuses writes; more is dropped. */
const maxWaitingChars = 4 * 1024 * 1024;

const defaultMaxBytes = 32 * 1024 * 1024;

/** The path of the previous file, which was full. */
export function earlierPart(path: string): string {
  return path.replace(/\.jsonl$/, ".1.jsonl");
}

export class TranscriptWriter {
  readonly #options: TranscriptWriterOptions;
  #waiting: string[] = [];
  #waitingChars = 0;
  #hasDropped = false;
  /** The last write failed. */
  #isRefused = false;
  #fd: number | undefined;
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: TranscriptWriterOptions) {
    this.#options = options;
  }

  /** Texts must be clipped by the caller; secrets are masked here. */
  add(facts: TranscriptFacts, at: number = this.#options.clock.now()): void {
    const { redact } = this.#options;
    const masked = redact && ((_: string, value: unknown) => (typeof value === "string" ? redact(value) : value));
    const line = `${JSON.stringify({ v: transcriptVersion, at, ...facts }, masked)}\n`;
    this.#addLine(isTooLong(line) ? this.#truncated("length") : line);
  }

  #addLine(line: string): void {
    const isFull = (): boolean => this.#waitingChars + line.length > maxWaitingChars;
    // Much at once is no reason to drop anything: only a disk that refuses it is.
    if (isFull() && !this.#isRefused) this.flush();
    if (isFull()) {
      this.#hasDropped = true;
      return;
    }
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    this.flushSoon();
  }

  flushSoon(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.flush(), delayMs);
    this.#timer.unref();
  }

  flush(): void {
    this.#options.collect?.();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    try {
      const fd = (this.#fd ??= this.#open());
      if (this.#hasDropped) this.#write(fd, this.#truncated("disk"));
      this.#hasDropped = false;
      this.#write(fd, this.#waiting.join(""));
      this.#waiting = [];
      this.#waitingChars = 0;
      this.#isRefused = false;
      if (this.#bytes > (this.#options.maxBytes ?? defaultMaxBytes)) this.#startNext();
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      this.#isRefused = true;
      // Part of a line may be in the file: the next one starts on a new line.
      this.#close();
      this.flushSoon();
    }
  }

  #write(fd: number, text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    this.#bytes += bytes.length;
  }

  #open(): number {
    // A link in place of the file is not followed.
    const flags = constants.O_CREAT | constants.O_APPEND | constants.O_RDWR | constants.O_NOFOLLOW;
    const fd = openSync(this.#options.path, flags, 0o600);
    this.#bytes = fstatSync(fd).size;
    if (isTorn(fd, this.#bytes)) this.#write(fd, "\n");
    return fd;
  }

  #startNext(): void {
    this.#close();
    renameSync(this.#options.path, earlierPart(this.#options.path));
    this.#fd = this.#open();
    this.#write(this.#fd, this.#truncated("size"));
  }

  #truncated(reason: "size" | "disk" | "length"): string {
    const at = this.#options.clock.now();
    return `${JSON.stringify({ v: transcriptVersion, at, type: "transcript.truncated", reason })}\n`;
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  close(): void {
    this.flush();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#close();
  }
}

function isTooLong(line: string): boolean {
  // Most lines need no count: a UTF-16 unit takes at most three bytes.
  return line.length * 3 > maxEntryBytes && Buffer.byteLength(line) > maxEntryBytes;
}

/** A process that was killed while it wrote leaves a part of a line. */
function isTorn(fd: number, size: number): boolean {
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(fd, last, 0, 1, size - 1);
  return last[0] !== 0x0a;
}
