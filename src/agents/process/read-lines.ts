// The lines that a program writes, however its output is cut.

import type { Readable } from "node:stream";

/** A message may contain whole files; anything longer is not a message. */
const maxLineChars = 64 * 1024 * 1024;

/** Calls `read` with each whole line. The start of a line that is too long is read as a line, its rest is dropped. */
export function readLines(input: Readable, read: (line: string) => void): void {
  // What came of a line whose end did not come yet.
  let parts: string[] = [];
  let length = 0;

  function finish(last: string): void {
    const line = parts.length === 0 ? last : `${parts.join("")}${length > maxLineChars ? "" : last}`;
    parts = [];
    length = 0;
    read(line);
  }

  input.setEncoding("utf8").on("data", (text: string) => {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      finish(text.slice(from, end));
      from = end + 1;
    }
    if (from === text.length || length > maxLineChars) return;
    const rest = text.slice(from);
    parts.push(rest);
    length += rest.length;
  });
  input.on("end", () => {
    if (parts.length > 0) finish("");
  });
}
