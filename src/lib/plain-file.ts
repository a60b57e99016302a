// Reads files that a user or a project names. Only regular files are read: opening a named pipe would wait for a
// writer, synchronously and forever, and no signal would get through.

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

// Absent on Windows, which has no such files.
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** The bytes of a regular file. Throws the system's error, or one that says it is not a regular file. */
export function readPlainFile(path: string | Buffer, options: { readonly maxBytes?: number } = {}): Buffer {
  const { maxBytes = Number.POSITIVE_INFINITY } = options;
  const fd = openSync(path, flags);
  try {
    const found = fstatSync(fd);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > maxBytes) throw new Error(`it has ${found.size} bytes; at most ${maxBytes} are read`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
