// The bytes of the server's answer to one GET that never ends: its events. On Bun they come over a plain socket. `fetch`
// reads in a thread of its own, so that every packet wakes two threads, and a packet is often one word of the model:
// that was a quarter of what a turn costs the host (docs/decisions/037). Spoken is HTTP/1.0, which knows no chunks.

import { fetchDirectly } from "./direct-fetch.ts";

export interface EventBytesOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** What it throws ends the reading. The bytes are its own. */
  readonly onBytes: (bytes: Buffer) => void;
}

/** Reads until the connection ends, and says how it ended. */
export function readEventBytes(url: string, options: EventBytesOptions): Promise<string> {
  return typeof Bun === "undefined" ? readFetched(url, options) : readSocket(new URL(url), options);
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
    /** What came of the answer's head; undefined when it is read. */
    let head: Buffer | undefined = Buffer.alloc(0);
    Bun.connect({
      hostname: url.hostname,
      port: Number(url.port),
      socket: {
        open(socket) {
          if (signal.aborted) {
            socket.terminate();
            return;
          }
          signal.addEventListener("abort", () => socket.terminate(), { once: true });
          socket.write(requestOf(url, headers));
        },
        data(socket, chunk) {
          try {
            if (head === undefined) return onBytes(chunk);
            const whole = Buffer.concat([head, chunk]);
            const start = bodyStart(whole);
            head = start === undefined ? whole : undefined;
            if (start !== undefined && start < whole.length) onBytes(whole.subarray(start));
          } catch (error) {
            reject(error);
            socket.terminate();
          }
        },
        close: () => resolve(ended),
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
function bodyStart(answer: Buffer): number | undefined {
  const end = answer.indexOf(headEnd);
  if (end === -1 && answer.length <= maxHeadBytes) return undefined;
  const head = answer.toString("latin1", 0, end === -1 ? maxHeadBytes : end);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === undefined || end === -1) throw new Error("its answer is no HTTP");
  if (status !== "200") throw new Error(`status ${status}`);
  if (/^(?:transfer|content)-encoding:/im.test(head))
    throw new Error("its events are encoded, which was not asked for");
  return end + headEnd.length;
}
