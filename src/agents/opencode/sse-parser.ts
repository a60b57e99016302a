// Server-sent events out of bytes, however they are cut. Only `data` is kept: the server names its events inside it.

export interface SseParser {
  push(bytes: Uint8Array): void;
}

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;

/** A server that never ends an event is broken; its text is not collected for ever. */
const maxEventChars = 256 * 1024 * 1024;

export function createSseParser(onData: (data: string) => void): SseParser {
  /** The start of a line whose end did not come yet. */
  let parts: Buffer[] = [];
  let size = 0;
  let data: string | undefined;

  function line(text: string): void {
    if (text === "") {
      if (data !== undefined) onData(data);
      data = undefined;
    } else if (text.startsWith("data:")) {
      const value = text.slice(text.charCodeAt(5) === space ? 6 : 5);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }

  return {
    push(bytes) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const end = chunk.lastIndexOf(lineFeed) + 1;
      if (end > 0) {
        // No character is cut in whole lines. Invalid UTF-8 becomes U+FFFD, as everywhere in a stream of a program.
        const whole = size === 0 ? chunk : Buffer.concat([...parts, chunk]);
        const text = whole.toString("utf8", 0, size + end);
        parts = [];
        size = 0;
        let from = 0;
        for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
          line(text.slice(from, text.charCodeAt(to - 1) === carriageReturn ? to - 1 : to));
          from = to + 1;
        }
      }
      if (end < chunk.length) parts.push(chunk.subarray(end));
      size += chunk.length - end;
      if (size + (data?.length ?? 0) > maxEventChars) throw new Error("An event of the server has no end");
    },
  };
}
