// The transcript of a run whose store several machines share. The machine that runs it appends to its own file, as
// always; from there its lines go to the store, a few times a second. Another machine gets them into a temporary file,
// and reads that. Neither ever stops or slows a run: what fails is tried again with the next lines, or left out.

import { appendFileSync, closeSync, constants, existsSync, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { checksum } from "../../lib/checksum.ts";
import { createDeferred } from "../../lib/deferred.ts";
import { AtomicError } from "../../lib/errors.ts";
import { currentProcess } from "../../lib/process-identity.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder } from "../../lib/temp-folder.ts";
import type { StoreShelf } from "../../journal/store-shelf.ts";

/** Together with the delay of the writer and of the reader's poll, less than half a second. */
const uploadEveryMs = 150;
/** A run that has ended waits no longer than this for a database that does not answer. */
const maxCloseMs = 2000;
const maxBytesAtOnce = 1024 * 1024;
/** About what the files of one machine hold at most. */
const maxChars = 64 * 1024 * 1024;

/** Where to read a transcript. */
export interface TranscriptSource {
  readonly path: string;
  /** Brings what was added since; undefined where the path is the very file that is written. */
  readonly refresh?: (() => Promise<void>) | undefined;
}

/** Distinguishes the files of this machine's runs from those of others. */
function hostKey(path: string): string {
  const { host, machine } = currentProcess();
  return `${checksum(JSON.stringify([host, machine, path]))}-`;
}

/** Sends the lines of a transcript to the store until it is closed. */
export class TranscriptUpload {
  readonly #shelf: StoreShelf;
  readonly #run: string;
  readonly #path: string;
  #timer: ReturnType<typeof setInterval> | undefined;
  #source: string | undefined;
  #offset = 0;
  #isWorking: Promise<void> | undefined;

  constructor(options: { readonly shelf: StoreShelf; readonly run: string; readonly path: string }) {
    this.#shelf = options.shelf;
    this.#run = options.run;
    this.#path = options.path;
    this.#timer = setInterval(() => void this.#work(), uploadEveryMs);
    this.#timer.unref();
  }

  /** Sends what is there by now, and no more. */
  async close(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    const sent = (async (): Promise<void> => {
      await this.#isWorking;
      await this.#work();
    })();
    const late = createDeferred<void>();
    const timer = setTimeout(() => late.resolve(), maxCloseMs);
    await Promise.race([sent, late.promise]);
    clearTimeout(timer);
  }

  #work(): Promise<void> {
    this.#isWorking ??= this.#sendAll().finally(() => (this.#isWorking = undefined));
    return this.#isWorking;
  }

  async #sendAll(): Promise<void> {
    try {
      while (await this.#sendNext());
    } catch (thrown) {
      // The database can't be reached, or has no such table: the lines stay in the file, and the next look sends them.
      if (!AtomicError.is(thrown) && !isSystemError(thrown)) throw thrown;
    }
  }

  /** False when nothing is left to send. */
  async #sendNext(): Promise<boolean> {
    const fd = openToRead(this.#path);
    if (fd === undefined) return false;
    try {
      await this.#follow(fstatSync(fd));
      const bytes = Buffer.alloc(maxBytesAtOnce);
      const length = readSync(fd, bytes, 0, bytes.length, this.#offset);
      const lines = sendableBytes(bytes.subarray(0, length));
      if (lines === 0 || this.#source === undefined) return false;
      const [start, stop] = [this.#offset, this.#offset + lines];
      const text = bytes.toString("utf8", 0, lines).replaceAll("\0", "");
      await this.#shelf.addPiece(this.#run, { source: this.#source, start, stop, text });
      this.#offset = stop;
      return length === bytes.length;
    } finally {
      closeSync(fd);
    }
  }

  /** The writer begins a new file when one is full; an earlier process may have sent a part of this one. */
  async #follow({ ino, birthtimeMs }: Stats): Promise<void> {
    const source = `${hostKey(this.#path)}${ino}-${Math.floor(birthtimeMs)}`;
    if (source === this.#source) return;
    this.#offset = await this.#shelf.keptUpTo(this.#run, source);
    if (this.#source !== undefined) await this.#shelf.trimPieces(this.#run, maxChars);
    this.#source = source;
  }
}

/**
 * Complete lines. A line that fills the buffer is sent in parts, or nothing after it would ever be sent: earlier versions
 * wrote such lines.
 */
function sendableBytes(bytes: Buffer): number {
  const lines = bytes.lastIndexOf(0x0a) + 1;
  if (lines > 0 || bytes.length < maxBytesAtOnce) return lines;
  // Up to the start of the last character, which may be incomplete.
  let end = bytes.length - 1;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

/** The transcripts that this process reads from the store. */
export class SharedTranscripts {
  readonly #shelf: StoreShelf;
  readonly #fetched = new Map<string, TranscriptSource>();
  #folder: string | undefined;

  constructor(shelf: StoreShelf) {
    this.#shelf = shelf;
  }

  /** The machine's own file where no other machine has added to the transcript. */
  async find(run: string, path: string): Promise<TranscriptSource> {
    try {
      if (existsSync(path) && !(await this.#shelf.hasOtherSources(run, hostKey(path)))) return { path };
      const known = this.#fetched.get(run) ?? this.#fetch(run);
      this.#fetched.set(run, known);
      await known.refresh?.();
      return known;
    } catch (thrown) {
      // No table, or no connection: what is on this machine can be read.
      if (!AtomicError.is(thrown)) throw thrown;
      return { path };
    }
  }

  #fetch(run: string): TranscriptSource {
    this.#folder ??= madeUntilExit();
    const path = join(this.#folder, `${run}.jsonl`);
    let last = "0";
    const fetch = async (): Promise<void> => {
      for (;;) {
        const pieces = await this.#shelf.pieces(run, last);
        if (pieces.length === 0) return;
        appendFileSync(path, pieces.map(({ text }) => text).join(""), { mode: 0o600 });
        last = pieces.at(-1)?.id ?? last;
      }
    };
    let fetching: Promise<void> | undefined;
    return { path, refresh: () => (fetching ??= fetch().finally(() => (fetching = undefined))) };
  }
}

function madeUntilExit(): string {
  const folder = makeTempFolder("read");
  process.once("exit", () => removeFolder(folder));
  return folder;
}

function openToRead(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return undefined;
  }
}
