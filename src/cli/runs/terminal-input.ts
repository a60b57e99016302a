// Lines typed at the terminal, while the program does other things. Line by line and not key by key: Ctrl+C stays a
// signal.

import { closeSync, constants, openSync, readSync } from "node:fs";
import { createInterface } from "node:readline";
import { systemCode } from "../../lib/atomic-file.ts";

/** Lines that a user types. */
export interface TerminalInput {
  onLine(listener: (line: string) => void): void;
  /** The user, or the pipe, has ended the input. */
  onEnd(listener: () => void): void;
  /** Drops a half-typed line, which the terminal would pass to its next reader. True if there was one. */
  discard(): boolean;
  close(): void;
}

/** Nothing is read before there is a listener. */
export function createTerminalInput(): TerminalInput {
  let lines: ReturnType<typeof createInterface> | undefined;
  const reading = (): ReturnType<typeof createInterface> =>
    (lines ??= createInterface({ input: process.stdin, terminal: false }));
  return {
    onLine: (listener) => void reading().on("line", listener),
    onEnd: (listener) => void reading().on("close", listener),
    discard: () => lines !== undefined && process.stdin.isTTY && discardTyped(process.stdin),
    close() {
      lines?.close();
      if (lines !== undefined) process.stdin.unref();
    },
  };
}

/** A terminal hands over a line only once it is entered, except in raw mode: then there is something to read away. */
function discardTyped(terminal: Pick<NodeJS.ReadStream, "setRawMode">): boolean {
  let tty: number;
  try {
    // Opened anew: standard input itself has to stay a file that waits, also for the programs that share it.
    tty = openSync("/dev/tty", constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (thrown) {
    // The process was only handed a terminal and controls none (ENXIO), there is no such file, or the terminal is gone.
    const code = systemCode(thrown);
    if (code !== "ENXIO" && code !== "ENOENT" && code !== "EIO") throw thrown;
    return false;
  }
  terminal.setRawMode(true);
  try {
    return readAway(tty);
  } finally {
    terminal.setRawMode(false);
    closeSync(tty);
  }
}

function readAway(fd: number): boolean {
  const buffer = new Uint8Array(4096);
  for (let isAny = false; ; isAny = true) {
    try {
      if (readSync(fd, buffer) === 0) return isAny;
    } catch (thrown) {
      // EAGAIN: nothing is left. EIO: the terminal is gone, or another program is in its foreground.
      const code = systemCode(thrown);
      if (code !== "EAGAIN" && code !== "EIO") throw thrown;
      return isAny;
    }
  }
}
