// Standard output, standard error, and the user at the terminal. Owns what happens when the reader is gone: the rest
// is dropped silently (`atomic agents | head`), and the command still ends as it would have. Writes are synchronous:
// what was printed is out before the process ends. No stream object is made: loading those costs more than a listing.

import { fstatSync, readSync, statSync, writeSync } from "node:fs";
import { systemCode } from "../lib/atomic-file.ts";
import { AtomicError } from "../lib/errors.ts";
import { claimOutput } from "./claim-output.ts";

/** Standard error, where it is a terminal that can be drawn on. */
export interface Screen {
  /** As it is, without an end of line. */
  write(text: string): void;
  /** As it is now: a user may change it. */
  size(): { readonly columns: number; readonly rows: number };
}

export interface Io {
  /** One line, or several in one text; the end of the last is added. */
  print(text: string): void;
  /** The same, to standard error. */
  warn(text: string): void;
  /** The reader of standard output is gone, as the last `print` found out: a command that only prints can end. */
  readonly isOutputClosed: boolean;
  /** Standard output is a terminal of this many columns; undefined when it is something else. */
  readonly columns: number | undefined;
  /** Undefined where standard error is something else, a terminal that can only print (TERM=dumb), or one of a CI job. */
  readonly screen: Screen | undefined;
  /** Standard input and standard error are terminals. */
  readonly hasTerminal: boolean;
  /** A user is there to answer: a terminal that is not a CI job's. */
  readonly isInteractive: boolean;
  /**
   * From now on only `print` reaches standard output; what anything else writes there goes to standard error. Call it
   * before code that is not ours is loaded.
   */
  claimOutput(): void;
  /** What the user types; undefined if they end the input instead. Only if `isInteractive`. */
  ask(question: string): string | undefined;
}

export interface IoOptions {
  readonly write?: (fd: number, bytes: Uint8Array) => number;
  readonly isTerminal?: (fd: number) => boolean;
  readonly columns?: number | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export function createIo(options: IoOptions = {}): Io {
  const { write = writeSync, isTerminal = isTerminalFile, environment = process.env } = options;
  const closed = new Set<number>();
  let output = 1;
  /** As it was when output was claimed: the stream object then belongs to standard error. */
  let claimed: { readonly columns: number | undefined } | undefined;
  const columns = (): number | undefined => {
    if (claimed !== undefined) return claimed.columns;
    return isTerminal(1) ? (options.columns ?? terminalColumns()) : undefined;
  };

  const hasTerminal = (): boolean => isTerminal(0) && isTerminal(2);

  function put(fd: number, text: string): void {
    if (closed.has(fd)) return;
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at < bytes.length;) {
      try {
        at += write(fd, bytes.subarray(at));
      } catch (thrown) {
        const code = systemCode(thrown);
        if (code === undefined) throw thrown;
        // Another process has made the pipe non-blocking and its reader is slow.
        if (code === "EAGAIN") pause(2);
        // A failure of standard error can't be reported anywhere.
        else if (code === "EPIPE" || fd === 2) return void closed.add(fd);
        else throw unwritable(code);
      }
    }
  }

  return {
    print: (text) => put(output, `${text}\n`),
    get isOutputClosed() {
      return closed.has(output);
    },
    warn: (text) => put(2, `${text}\n`),
    get columns() {
      return columns();
    },
    get screen() {
      if (!isTerminal(2) || environment["TERM"] === "dumb" || isCi(environment)) return undefined;
      return { write: (text: string) => put(2, text), size: terminalSize };
    },
    claimOutput() {
      if (claimed !== undefined) return;
      claimed = { columns: columns() };
      output = claimOutput();
    },
    get hasTerminal() {
      return hasTerminal();
    },
    get isInteractive() {
      return hasTerminal() && !isCi(environment);
    },
    ask(question) {
      put(2, `${question} `);
      return readLine();
    },
  };
}

/** Some CI systems give their jobs a terminal, which no one watches. */
function isCi({ CI: value = "" }: Readonly<Record<string, string | undefined>>): boolean {
  return value !== "" && value !== "false" && value !== "0";
}

/** A terminal hands over one line at a time. */
function readLine(): string | undefined {
  const buffer = new Uint8Array(4096);
  let line = "";
  while (!line.includes("\n")) {
    const length = readSync(0, buffer);
    if (length === 0) return line === "" ? undefined : line;
    line += new TextDecoder().decode(buffer.subarray(0, length));
  }
  return line.slice(0, line.indexOf("\n"));
}

function unwritable(code: string): AtomicError {
  return new AtomicError(
    "OUTPUT_FAILED",
    `Standard output can't be written (${code}). Free some space, or send it elsewhere.`,
  );
}

/**
 * A terminal is a device, and not the one that swallows everything. Only for such a one the module that knows is
 * loaded.
 */
function isTerminalFile(fd: number): boolean {
  try {
    const file = fstatSync(fd);
    if (!file.isCharacterDevice() || file.rdev === statSync("/dev/null", { throwIfNoEntry: false })?.rdev) return false;
    return process.getBuiltinModule("node:tty").isatty(fd);
  } catch (thrown) {
    // Closed.
    if (systemCode(thrown) !== "EBADF") throw thrown;
    return false;
  }
}

function terminalSize(): { readonly columns: number; readonly rows: number } {
  const { columns, rows } = process.stderr;
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}

function terminalColumns(): number {
  const { columns } = process.stdout;
  return typeof columns === "number" && columns > 0 ? columns : 80;
}

/** Blocks this thread: there is nothing else to do until the reader has read. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
