// The server's event stream of one folder, kept open. Reads it with our own parser, because the SDK's reader leaves an
// unhandled AbortError behind and can't be stopped before its next event. When the connection drops it connects again,
// a limited number of times, and says that events may have been missed; when it can't, it says that the stream is lost.

import type { Clock } from "../../lib/clock.ts";
import { createDeferred } from "../../lib/deferred.ts";
import { messageOf } from "../../lib/errors.ts";
import { readEventBytes } from "./event-bytes.ts";
import { createSseParser } from "./sse-parser.ts";

export interface EventStreamOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** The text of one event. Must not throw. */
  readonly onData: (data: string) => void;
  /** After each packet, when its events were given to `onData`. Must not throw. */
  readonly onPause: () => void;
  /** Connected again: what happened in between is not known. */
  readonly onGap: () => void;
  /** No connection any more, and no further attempt. Not called after `close`. */
  readonly onLost: (reason: string) => void;
}

export interface EventStream {
  /** Resolves when the server sends; rejects when the stream is lost before that. */
  readonly ready: Promise<void>;
  close(): void;
}

const maxAttempts = 6;
const firstDelayMs = 50;
/** The server sends a heartbeat every ten seconds. */
const quietLimitMs = 45_000;
/** A connection that received data and lasted this long was a good one: attempts are counted from zero again. */
const goodConnectionMs = 5000;

export function createEventStream(options: EventStreamOptions): EventStream {
  const { clock } = options;
  const closed = new AbortController();
  const ready = createDeferred<void>();
  ready.promise.catch(() => {});
  let isReady = false;
  /** Something came on the present connection. */
  let hasBytes = false;

  async function run(): Promise<void> {
    let reason = "";
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const startedAt = clock.now();
      hasBytes = false;
      reason = await readOnce().catch(messageOf);
      if (hasBytes && clock.now() - startedAt > goodConnectionMs) attempt = 1;
      if (!closed.signal.aborted) await clock.sleep(firstDelayMs * 2 ** attempt, closed.signal).catch(() => {});
      if (closed.signal.aborted) return ready.reject(new Error("closed"));
    }
    ready.reject(new Error(reason));
    options.onLost(reason);
  }

  /** Reads until the connection ends, and says how it ended. */
  async function readOnce(): Promise<string> {
    const connection = new AbortController();
    const stop = (): void => connection.abort();
    closed.signal.addEventListener("abort", stop, { once: true });
    let lastSeen = clock.now();
    const watchdog = async (): Promise<void> => {
      while (!connection.signal.aborted) {
        await clock.sleep(quietLimitMs, connection.signal).catch(() => {});
        if (clock.now() - lastSeen >= quietLimitMs) connection.abort();
      }
    };
    void watchdog();
    try {
      const parser = createSseParser(options.onData);
      const onBytes = (bytes: Buffer): void => {
        lastSeen = clock.now();
        if (!hasBytes) {
          hasBytes = true;
          // The first bytes mean that this connection gets every event from here on.
          if (isReady) options.onGap();
          isReady = true;
          ready.resolve();
        }
        parser.push(bytes);
        options.onPause();
      };
      return await readEventBytes(options.url, { headers: options.headers, signal: connection.signal, onBytes });
    } finally {
      closed.signal.removeEventListener("abort", stop);
      connection.abort();
    }
  }

  void run();
  return { ready: ready.promise, close: () => closed.abort() };
}
