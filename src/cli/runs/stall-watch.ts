// Watches from a separate thread whether the event loop still turns. A node's body that computes endlessly lets
// nothing else run: no line is printed, and no signal is handled. Then the watch says which node it is, and gives
// Ctrl+C and similar signals their default effect, so that they end the program. What was recorded is on the disk.

import { safeLine } from "../../lib/safe-text.ts";

export interface StallWatch {
  /** This node's body starts now. */
  started(node: string): void;
  /** The run it watches, for the line that says how to resume it. */
  running(run: string): void;
  close(): void;
}

export interface StallWatchOptions {
  /** How long this thread may be busy before that is reported. */
  readonly limitMs: number;
}

const bytesOfName = 256;
const bytesOfRun = 64;

export function watchForStalls({ limitMs }: StallWatchOptions): StallWatch {
  const shared = new SharedArrayBuffer(8 + bytesOfName + bytesOfRun);
  const flags = new Int32Array(shared, 0, 2);
  const name = new Uint8Array(shared, 8, bytesOfName);
  const run = new Uint8Array(shared, 8 + bytesOfName, bytesOfRun);
  const source = URL.createObjectURL(new Blob([watcher], { type: "application/javascript" }));
  const worker = new Worker(source);
  worker.unref();
  worker.postMessage({ shared, limitMs, bytesOfName, bytesOfRun }, []);
  const reportAlive = (): void => {
    Atomics.add(flags, 0, 1);
    Atomics.notify(flags, 0);
  };
  const beat = setInterval(reportAlive, limitMs / 10);
  beat.unref();
  return {
    started: (node) => write(name, safeLine(node, 60)),
    running: (id) => write(run, id),
    close() {
      clearInterval(beat);
      Atomics.store(flags, 1, 1);
      reportAlive();
      worker.terminate();
      URL.revokeObjectURL(source);
    },
  };
}

function write(target: Uint8Array, text: string): void {
  const bytes = new TextEncoder().encode(text).subarray(0, target.length);
  target.fill(0);
  target.set(bytes);
}

// Plain JavaScript, because it runs without this program's modules. Handlers are restored when the thread responds
// again.
const watcher = `
const { writeSync } = require("node:fs");
const signals = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGTERM: 15 };

function openLibc() {
  const { dlopen, ptr } = require("bun:ffi");
  const names = process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", "libc.so", "libc.musl-" + (process.arch === "x64" ? "x86_64" : "aarch64") + ".so.1"];
  for (const name of names) {
    try {
      const { symbols } = dlopen(name, {
        signal: { args: ["int", "ptr"], returns: "ptr" },
        sigaction: { args: ["int", "ptr", "ptr"], returns: "int" },
      });
      return { symbols, ptr };
    } catch (thrown) {
      // Each system has one of them.
      if (thrown.code !== "ERR_DLOPEN_FAILED") throw thrown;
    }
  }
}

/** Returns what puts the handlers back; undefined where the system's library can't be called. */
function releaseSignals() {
  const libc = openLibc();
  if (libc === undefined) return undefined;
  const kept = Object.values(signals).map((number) => {
    const handler = new Uint8Array(512);
    libc.symbols.sigaction(number, null, libc.ptr(handler));
    libc.symbols.signal(number, null);
    return { number, handler };
  });
  return () => {
    for (const { number, handler } of kept) libc.symbols.sigaction(number, libc.ptr(handler), null);
  };
}

self.onmessage = ({ data: { shared, limitMs, bytesOfName, bytesOfRun } }) => {
  const flags = new Int32Array(shared, 0, 2);
  const text = (from, length) => {
    const bytes = new Uint8Array(shared, from, length).slice();
    const end = bytes.indexOf(0);
    return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
  };
  let last = Atomics.load(flags, 0);
  let looks = 0;
  let restore;
  for (;;) {
    const hasComeRound = Atomics.wait(flags, 0, last, limitMs / 4) !== "timed-out";
    if (Atomics.load(flags, 1) === 1) return;
    if (hasComeRound) {
      last = Atomics.load(flags, 0);
      looks = 0;
      restore?.();
      restore = undefined;
      continue;
    }
    // Counts checks, not time: a program that was stopped and continued has not been busy.
    if (++looks !== 5) continue;
    restore = releaseSignals();
    const node = text(8, bytesOfName);
    const run = text(8 + bytesOfName, bytesOfRun);
    const who = node === "" ? "Something" : 'Node "' + node + '"';
    const how = restore === undefined ? "End it with: kill -9 " + process.pid : "Ctrl+C ends it at once; what was recorded is kept.";
    const then = run === "" ? "" : "\\nResume with: atomic resume " + run;
    writeSync(2, "! " + who + " has kept the program busy for " + Math.round(limitMs / 1000) + " s, so nothing else can run. " + how + then + "\\n");
  }
};`;
