// Messages out of bytes: each has a header with its length before it, as language servers have it.

export interface FrameReader {
  /** Throws if the bytes can't become a message. */
  push(bytes: Buffer): void;
}

const headerEnd = "\r\n\r\n";
const maxHeaderBytes = 65_536;
/** More than any message: a program that announces more is broken. */
const maxBodyBytes = 256 * 1024 * 1024;

/**
 * `onFrame` gets the bytes of a message with its header, and where its body starts. What stands before it is left out.
 */
export function createFrameReader(onFrame: (frame: Buffer, bodyAt: number) => void): FrameReader {
  let parts: Buffer[] = [];
  let size = 0;
  /** With less than this there is nothing to be done. */
  let needed = 0;

  function keep(rest: Buffer, atLeast: number): void {
    parts = rest.length === 0 ? [] : [rest];
    size = rest.length;
    needed = atLeast;
  }

  return {
    push(bytes) {
      parts.push(bytes);
      size += bytes.length;
      if (size < needed) return;
      const all = parts.length === 1 ? bytes : Buffer.concat(parts, size);
      let at = 0;
      for (;;) {
        const end = all.indexOf(headerEnd, at, "latin1");
        if (end < 0) {
          if (all.length - at > maxHeaderBytes) throw new Error(`it says something else. ${quoted(all, at)}`);
          return keep(all.subarray(at), 0);
        }
        const header = headerIn(all, at, end);
        const bodyAt = end + headerEnd.length;
        const next = bodyAt + header.bodyBytes;
        if (next > all.length) return keep(all.subarray(at), next - at);
        onFrame(all.subarray(header.at, next), bodyAt - header.at);
        at = next;
      }
    },
  };
}

function headerIn(bytes: Buffer, from: number, to: number): { readonly at: number; readonly bodyBytes: number } {
  // From the line that has the length on: programs do print warnings.
  const found = /^content-length: *(\d+)/im.exec(bytes.toString("latin1", from, to));
  const bodyBytes = Number(found?.[1] ?? Number.NaN);
  if (found === null || !(bodyBytes <= maxBodyBytes)) throw new Error(`it says something else. ${quoted(bytes, from)}`);
  return { at: from + found.index, bodyBytes };
}

function quoted(bytes: Buffer, from: number): string {
  return `It said: ${JSON.stringify(bytes.toString("utf8", from, from + 300).trim())}`;
}

export function messageIn(frame: Buffer, bodyAt: number): unknown {
  return JSON.parse(frame.toString("utf8", bodyAt));
}

export function frameOf(message: object): Buffer {
  const body = JSON.stringify(message);
  return Buffer.from(`Content-Length: ${Buffer.byteLength(body)}${headerEnd}${body}`);
}
