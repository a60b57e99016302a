// The lines of a part of a file, as bytes. Reads in chunks, so that memory does not grow with the file. The last line
// may lack its newline; the caller decides what that means.

import { readSync } from "node:fs";

const chunkBytes = 256 * 1024;
const newline = 0x0a;

export interface JournalLine {
  /** Where it begins in the file. */
  readonly start: number;
  /** With its newline, when it has one. Valid until the next line is asked for. */
  readonly bytes: Uint8Array;
}

export function* readJournalLines(fd: number, from: number, to: number): Generator<JournalLine> {
  let buffer = Buffer.allocUnsafe(Math.min(chunkBytes, Math.max(to - from, 1)));
  let start = from; // of the bytes in the buffer
  let filled = 0;
  while (start + filled < to || filled > 0) {
    if (start + filled < to) {
      // A line that is longer than the buffer needs a longer buffer.
      if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
      const room = Math.min(buffer.length - filled, to - start - filled);
      const got = readSync(fd, buffer, filled, room, start + filled);
      if (got === 0) to = start + filled;
      filled += got;
    }
    let used = 0;
    for (let end = buffer.indexOf(newline, used); end !== -1 && end < filled; end = buffer.indexOf(newline, used)) {
      yield { start: start + used, bytes: buffer.subarray(used, end + 1) };
      used = end + 1;
    }
    if (used === 0 && start + filled >= to) {
      if (filled > 0) yield { start, bytes: buffer.subarray(0, filled) };
      return;
    }
    buffer.copyWithin(0, used, filled);
    start += used;
    filled -= used;
  }
}
