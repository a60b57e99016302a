// Reads one file that is not trusted. Owns which files are read (regular, of bounded size, UTF-8) and the refusals of
// others. Leaves links to links.ts: no link is followed here.
//
// The checks are made on the open file, not on its path, so that a file swapped in between is checked too.

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { systemCode } from "../../lib/atomic-file.ts";
import { decodeUtf8 } from "../../lib/decode-utf8.ts";
import { Refusal } from "../diagnostics.ts";

// Opening a pipe would wait for a writer forever; these two exist on every system but Windows.
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export const maxMarkdownBytes = 1024 * 1024;

/** The bytes of a regular file of at most `maxBytes`. */
export function readFileBytes(path: string, maxBytes: number): Uint8Array {
  const descriptor = open(path);
  try {
    const info = fstatSync(descriptor);
    if (!info.isFile()) throw new Refusal("not-a-file", "It is not a regular file, so it is not read.");
    if (info.size > maxBytes) throw tooLarge(info.size, maxBytes);
    return readAll(descriptor, info.size, maxBytes);
  } catch (thrown) {
    throw thrown instanceof Refusal ? thrown : unreadable(thrown);
  } finally {
    closeSync(descriptor);
  }
}

/** The text of a UTF-8 file: without a byte order mark, with `\n` for every kind of line end. */
export function readTextFile(path: string, maxBytes: number): string {
  const text = decodeText(readFileBytes(path, maxBytes));
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Strict UTF-8; a byte order mark is dropped. */
export function decodeText(bytes: Uint8Array): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (isUtf16) throw new Refusal("not-utf8", "The file is UTF-16. Save it as UTF-8.");
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new Refusal("not-utf8", "The file is not valid UTF-8. Save it as UTF-8.");
  if (text.includes("\0")) throw new Refusal("not-utf8", "The file contains a NUL byte, so it is not a text file.");
  return text;
}

function open(path: string): number {
  try {
    return openSync(path, flags);
  } catch (thrown) {
    throw unreadable(thrown);
  }
}

function readAll(descriptor: number, size: number, maxBytes: number): Uint8Array {
  // One byte more than its size: a file that grows while it is read must not count as complete.
  const buffer = new Uint8Array(size + 1);
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null);
    length += read;
    // As many bytes as expected, or the end of the file.
    if (read === 0 || length === size) return buffer.subarray(0, length);
  }
  if (length > maxBytes) throw tooLarge(length, maxBytes);
  throw new Refusal("unreadable", "The file changed while it was read. Try again.");
}

function tooLarge(size: number, limit: number): Refusal {
  return new Refusal("too-large", `The file has ${megabytes(size)}; the limit is ${megabytes(limit)}.`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(bytes < 10 * 1024 * 1024 ? 1 : 0)} MB`;
}

/** The refusal for an error of the file system. */
export function unreadable(thrown: unknown): Refusal {
  const code = systemCode(thrown);
  switch (code) {
    case "ENOENT":
      return new Refusal("unreadable", "The file does not exist (any more).");
    case "EACCES":
    case "EPERM":
      return new Refusal("unreadable", "Permission denied. Make it readable, or remove it.");
    case "ELOOP":
      return new Refusal("link-loop", "The link points to itself.");
    case "ENAMETOOLONG":
      return new Refusal("unreadable", "The path is too long for this system.");
    default:
      return new Refusal("unreadable", `It can't be read (${code ?? "unknown error"}).`);
  }
}
