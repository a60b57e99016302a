// The bytes of the server's answer to one GET that never ends: its events. On Bun they come over a plain socket. `fetch`
// reads in a separate thread, so that every packet wakes two threads, and a packet is often one word of the model:
// that was a quarter of what a turn costs the host (docs/decisions/037). It uses HTTP/1.0, which has no chunks.

import { fetchDirectly } from "./direct-fetch.ts";

export interface EventBytesOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** What it throws ends the reading. The bytes are its own. */
  readonly onBytes: (bytes: Buffer) => void;
}

/** The server does not send its events as they are; `fetch` can read that. */
class EncodedAnswer extends Error {}

/** Reads until the connection ends, and says how it ended. */
export async function readEventBytes(url: string, options: EventBytesOptions): Promise<string> {
  if (typeof Bun === "undefined") return readFetched(url, options);
  try {
    return await readSocket(new URL(url), options);
  } catch (error) {
    if (error instanceof EncodedAnswer) return readFetched(url, options);
    throw error;
  }
}

const ended = "the server ended it";
const headEnd = "\r\n\r\n";
const maxHeadBytes = 64 * 1024;

async function readFetched(url: string, { headers, signal, onBytes }: EventBytesOptions): Promise<string> {
  const response = await fetchDirectly(url, { headers, signal });
  if (!response.ok || response.body === null) return `status ${response.status}`;
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read())
    onBytes(Buffer.from(read.value.buffer, read.value.byteOffset, read.value.byteLength));
  return ended;
}

function readSocket(url: URL, { headers, signal, onBytes }: EventBytesOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const stopped = (): void => reject(new Error("nothing came for too long"));
    if (signal.aborted) return stopped();
    // Before the socket closes, which would look as if the other side had ended it.
    signal.addEventListener("abort", stopped, { once: true });
    /** What came of the answer's head; undefined when it is read. */
    let head: Buffer | undefined = Buffer.alloc(0);
    const take = (chunk: Buffer): void => {
      if (head === undefined) return onBytes(chunk);
      const whole = Buffer.concat([head, chunk]);
      const start = bodyStart(whole);
      head = start === undefined ? whole : undefined;
      if (start !== undefined && start < whole.length) onBytes(whole.subarray(start));
    };
    const fail = (socket: { terminate(): void }, error: unknown): void => {
      reject(error);
      socket.terminate();
    };
    Bun.connect({
      hostname: url.hostname,
      port: Number(url.port || 80),
      socket: {
        open(socket) {
          signal.addEventListener("abort", () => socket.terminate(), { once: true });
          const request = requestOf(url, headers);
          if (signal.aborted) socket.terminate();
          // Of a new connection there is room for more than the longest of paths.
          else if (socket.write(request) !== request.length) fail(socket, new Error("it did not take the request"));
        },
        data(socket, chunk) {
          try {
            take(chunk);
          } catch (error) {
            fail(socket, error);
          }
        },
        close: (_, error) => (error === undefined ? resolve(ended) : reject(error)),
        error: (_, error) => reject(error),
      },
    }).catch(reject);
  });
}

function requestOf(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ host: url.host, accept: "text/event-stream", ...headers });
  const head = [`GET ${url.pathname}${url.search} HTTP/1.0`, ...lines.map(([name, value]) => `${name}: ${value}`)];
  return head.join("\r\n") + headEnd;
}

/** Where the events start; undefined while the head is not whole. Throws when they can't be read as they are. */
export function bodyStart(answer: Buffer): number | undefined {
  const end = answer.indexOf(headEnd);
  if (end === -1 && answer.length <= maxHeadBytes) return undefined;
  const head = answer.toString("latin1", 0, end === -1 ? maxHeadBytes : end);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === undefined) throw new Error("not a valid HTTP response");
  if (end === -1) throw new Error("the head of its answer has no end");
  if (status !== "200") throw new Error(`status ${status}`);
  if (/^(?:transfer|content)-encoding:/im.test(head)) throw new EncodedAnswer();
  return end + headEnd.length;
}
