// Server-sent events out of bytes, however they are cut. Only `data` is kept: the server names its events inside it.

export interface SseParser {
  push(chunk: Buffer): void;
}

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;

/** A server that never ends an event is broken; its text is not collected forever. */
const maxEventChars = 256 * 1024 * 1024;

export function createSseParser(onData: (data: string) => void): SseParser {
  /** The start of a line whose end did not come yet. */
  let parts: Buffer[] = [];
  let size = 0;
  let data: string | undefined;

  /** The line of `text` between the two places. */
  function line(text: string, from: number, to: number): void {
    if (from === to) {
      if (data !== undefined) onData(data);
      data = undefined;
    } else if (text.startsWith("data:", from)) {
      const value = text.slice(text.charCodeAt(from + 5) === space ? from + 6 : from + 5, to);
      data = data === undefined ? value : `${data}\n${value}`;
    }
  }

  return {
    push(chunk) {
      // Most chunks are whole events.
      const end = chunk.at(-1) === lineFeed ? chunk.length : chunk.lastIndexOf(lineFeed) + 1;
      if (end > 0) {
        // No character is cut in whole lines. Invalid UTF-8 becomes U+FFFD, as everywhere in a stream of a program.
        const whole = size === 0 ? chunk : Buffer.concat([...parts, chunk]);
        const text = whole.toString("utf8", 0, size + end);
        parts = [];
        size = 0;
        let from = 0;
        for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
          line(text, from, text.charCodeAt(to - 1) === carriageReturn ? to - 1 : to);
          from = to + 1;
        }
      }
      if (end < chunk.length) parts.push(chunk.subarray(end));
      size += chunk.length - end;
      if (size + (data?.length ?? 0) > maxEventChars) throw new Error("An event of the server has no end");
    },
  };
}
