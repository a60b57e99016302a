// What the screen writes to its terminal. A terminal may take nothing for a while: a slow line, a paused one, a pty
// that no program reads. A write that waits for it would stop the whole process, with every agent that works in it. So
// nothing here waits: what isn't taken is kept and tried again later, and until then the renderer draws no further
// frame (it skips them, and draws the newest when the terminal has caught up).

import { constants, openSync, writeSync } from "node:fs";
import { systemCode } from "../../lib/atomic-file.ts";

export interface TerminalOutput {
  /** For the renderer: it calls back when all of a write was taken. */
  readonly stream: NodeJS.WriteStream;
  /** Beside the screen: a bell, a text for the clipboard. */
  write(text: string): void;
  /** Resolves when all of it was taken, or the terminal took nothing for a while. */
  settled(): Promise<void>;
  /** Resolves when the terminal is gone. */
  readonly hungUp: Promise<void>;
  /** Writes this instead of what wasn't taken yet; resolves as `settled` does. */
  replace(text: string): Promise<void>;
  /** Writes this and resolves as `settled` does; dropped where the terminal still doesn't take what was before. */
  print(text: string): Promise<void>;
}

interface Waiting {
  bytes: Uint8Array;
  readonly done: (() => void) | undefined;
}

type Written = (error?: Error | null) => void;

const firstPauseMs = 1;
const maxPauseMs = 64;
/** Each of a millisecond, when a frame doesn't fit; no more of them while it waits. */
const maxNaps = 5;
/** Nor is one that takes a few bytes a second. */
const maxTries = 5;
/** One frame waits at most. Bells and notifications beyond this are dropped. */
const maxWaitingBytes = 1_000_000;
/** Ends a sequence that was cut off half way. */
const cancel = "\x18";

export interface TerminalOutputOptions {
  /** How many bytes were taken; throws as `writeSync` does. */
  readonly put: (bytes: Uint8Array) => number;
  /** What knows the size of the terminal. */
  readonly terminal: NodeJS.WriteStream;
  /** When the screen ends, a terminal that accepted nothing for this long is not waited for. */
  readonly patienceMs?: number;
}

export function createTerminalOutput({ put, terminal, patienceMs = 1000 }: TerminalOutputOptions): TerminalOutput {
  const waiting: Waiting[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = firstPauseMs;
  let isGone = false;
  let onGone: () => void = () => undefined;
  const hungUp = new Promise<void>((resolve) => (onGone = resolve));
  const onProgress: (() => void)[] = [];

  /** What is left of it; undefined when the terminal is gone. */
  function offer(bytes: Uint8Array): Uint8Array | undefined {
    let rest = bytes;
    while (rest.length > 0) {
      try {
        const taken = put(rest);
        if (taken === 0) return rest;
        rest = rest.subarray(taken);
        pauseMs = firstPauseMs;
      } catch (thrown) {
        const code = systemCode(thrown);
        if (code === undefined) throw thrown;
        if (code === "EAGAIN") return rest;
        // EIO after a hang-up: nothing can be reported.
        return undefined;
      }
    }
    return rest;
  }

  function hangUp(): void {
    if (isGone) return;
    isGone = true;
    for (const { done } of waiting.splice(0)) done?.();
    onGone();
  }

  function retry(): void {
    timer = undefined;
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const rest = offer(next.bytes);
      if (rest === undefined) return hangUp();
      if (rest.length > 0) {
        next.bytes = rest;
        return later();
      }
      waiting.shift();
      next.done?.();
    }
    for (const each of onProgress.splice(0)) each();
  }

  function later(): void {
    if (timer !== undefined) return;
    timer = setTimeout(retry, pauseMs);
    // Alone it keeps no process alive.
    timer.unref();
    pauseMs = Math.min(maxPauseMs, pauseMs * 2);
  }

  function send(bytes: Uint8Array, done?: () => void): void {
    if (isGone) return done?.();
    let rest = waiting.length > 0 ? bytes : offer(bytes);
    // A terminal that reads takes the rest of a large frame in a moment: it isn't shown in halves.
    for (let naps = 0; naps < maxNaps && waiting.length === 0 && rest !== undefined && rest.length > 0; naps++) {
      nap();
      rest = offer(rest);
    }
    if (rest === undefined) {
      hangUp();
      return done?.();
    }
    if (rest.length === 0) return done?.();
    // The renderer reuses its memory.
    waiting.push({ bytes: rest.slice(), done });
    later();
  }

  function write(data: Uint8Array | string, encoding?: BufferEncoding | Written, written?: Written): boolean {
    const done = typeof encoding === "function" ? encoding : written;
    send(typeof data === "string" ? Buffer.from(data) : data, () => done?.());
    return waiting.length === 0;
  }

  async function settled(): Promise<void> {
    for (let [size, tries] = [waitingBytes(), 0]; size > 0 && tries < maxTries; tries++) {
      let timeout: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        onProgress.push(resolve);
        timeout = setTimeout(resolve, patienceMs);
      });
      clearTimeout(timeout);
      const now = waitingBytes();
      if (now === size) return;
      size = now;
    }
  }

  const waitingBytes = (): number => waiting.reduce((sum, { bytes }) => sum + bytes.length, 0);

  return {
    stream: withWrite(terminal, write),
    write(text) {
      if (waitingBytes() < maxWaitingBytes) send(Buffer.from(text));
    },
    settled,
    hungUp,
    replace(text) {
      const dropped = waiting.splice(0);
      for (const { done } of dropped) done?.();
      send(Buffer.from(dropped.length > 0 ? cancel + text : text));
      return settled();
    },
    async print(text) {
      if (waiting.length > 0) return;
      send(Buffer.from(text));
      await settled();
    },
  };
}

function nap(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

/** The terminal with another `write`, which the renderer can't replace. */
function withWrite(terminal: NodeJS.WriteStream, write: NodeJS.WriteStream["write"]): NodeJS.WriteStream {
  return new Proxy(terminal, {
    get: (target, key): unknown => (key === "write" ? write : Reflect.get(target, key, target)),
    set: () => true,
  });
}

/**
 * The terminal of standard output, opened once more: not to wait is a property of the opened file, which standard
 * output shares with the shell and other programs.
 */
export function openTerminal(): TerminalOutputOptions["put"] {
  for (const path of process.platform === "linux" ? ["/proc/self/fd/1", "/dev/tty"] : ["/dev/tty"]) {
    try {
      const file = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
      return (bytes) => writeSync(file, bytes);
    } catch (thrown) {
      // Another user's terminal (su), no controlling one, no /proc.
      if (systemCode(thrown) === undefined) throw thrown;
    }
  }
  return (bytes) => writeSync(1, bytes);
}
