// The child process of the journal contract. A harness's program creates a store over the same storage and calls
// `runJournalChild` with it. The child reports what happens as JSON lines on standard output, unbuffered, so that the
// parent knows what was acknowledged before it killed the child.

import { writeSync } from "node:fs";
import type { JournalHandle, JournalStore, RunRequest } from "../../journal/port.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { batch } from "./journal-harness.ts";

/** What a child can be asked to do; `run` is the run it does it to. */
export type ChildTask =
  /** Opens the run and appends batches until it is killed or an append fails; reports each batch once it is stored. */
  | {
      readonly do: "append";
      readonly run: string;
      readonly mode: "create" | "resume";
      readonly batch: number;
      readonly size: number;
    }
  /** Opens the run and appends one event for each line on standard input. */
  | { readonly do: "step"; readonly run: string; readonly mode: "create" | "resume" }
  /** Waits for a line on standard input, opens the run, and holds it until standard input ends. */
  | { readonly do: "hold"; readonly run: string; readonly mode: "create" | "resume" }
  /** Creates the run, appends nothing, and reports when it belongs to another process. */
  | { readonly do: "watch"; readonly run: string }
  /** Follows the run and reports each event's number, up to `last`. */
  | { readonly do: "follow"; readonly run: string; readonly from: number; readonly last: number }
  /** Opens the run, reports and acknowledges requests, and ends when one of them is `cancel`. */
  | { readonly do: "serve"; readonly run: string }
  /** Leaves a request. */
  | { readonly do: "request"; readonly run: string; readonly request: RunRequest }
  /** Opens the run and waits for requests, nothing else: the process must end by itself. */
  | { readonly do: "idle"; readonly run: string };

export async function runJournalChild(store: JournalStore, task: ChildTask): Promise<void> {
  try {
    await perform(store, task);
  } catch (error) {
    reportRefusal(error);
  }
}

function reportRefusal(error: unknown): void {
  if (!AtomicError.is(error)) throw error;
  report({ refused: error.code, message: error.message });
}

async function perform(store: JournalStore, task: ChildTask): Promise<void> {
  switch (task.do) {
    case "append":
      return appendForever(await store.open(task.run, { mode: task.mode }), task);
    case "step":
      return step(await store.open(task.run, { mode: task.mode }));
    case "hold":
      return hold(store, task);
    case "watch":
      return watch(await store.open(task.run, { mode: "create" }));
    case "follow":
      return follow(store, task);
    case "serve":
      return serve(await store.open(task.run, { mode: "resume" }));
    case "request":
      return store.request(task.run, task.request);
    case "idle": {
      const handle = await store.open(task.run, { mode: "resume" });
      void handle.requests(new AbortController().signal)[Symbol.asyncIterator]().next();
      report({ opened: handle.lastSeq });
    }
  }
}

async function appendForever(handle: JournalHandle, task: { batch: number; size: number }): Promise<void> {
  report({ opened: handle.lastSeq });
  while (await appendOne(handle, task.batch, task.size));
  // Once more, smaller: a store may accept or refuse it, but what it accepts must be stored, in order.
  await appendOne(handle, 1, 10);
}

/** False when it was refused. */
async function appendOne(handle: JournalHandle, count: number, size: number): Promise<boolean> {
  try {
    await handle.append(batch(handle.lastSeq + 1, count, size));
    report({ stored: handle.lastSeq });
    if (handle.lastSeq % 21 === 0) await handle.saveSnapshot({ seq: handle.lastSeq, body: handle.lastSeq });
    return true;
  } catch (error) {
    reportRefusal(error);
    return false;
  }
}

async function step(handle: JournalHandle): Promise<void> {
  report({ opened: handle.lastSeq });
  for await (const _ of process.stdin) {
    await handle.append(batch(handle.lastSeq + 1, 1));
    report({ stored: handle.lastSeq });
  }
}

async function hold(store: JournalStore, task: { run: string; mode: "create" | "resume" }): Promise<void> {
  report({ ready: true });
  const input = process.stdin[Symbol.asyncIterator]();
  await input.next();
  const handle = await store.open(task.run, { mode: task.mode });
  report({ opened: handle.lastSeq });
  while ((await input.next()).done !== true);
  await handle.close();
}

async function watch(handle: JournalHandle): Promise<void> {
  const lost = new Promise((resolve) => handle.lost.addEventListener("abort", resolve, { once: true }));
  report({ opened: handle.lastSeq });
  // Watching does not keep the process alive, and here nothing else does.
  const alive = setInterval(() => {}, 60_000);
  await lost;
  clearInterval(alive);
  reportRefusal(handle.lost.reason);
  await handle.close();
}

async function follow(store: JournalStore, task: { run: string; from: number; last: number }): Promise<void> {
  const { signal } = new AbortController();
  report({ ready: true });
  for await (const event of store.follow(task.run, { from: task.from, signal })) {
    report({ seq: event.seq, n: event["n"] ?? null });
    if (event.seq === task.last) return;
  }
}

async function serve(handle: JournalHandle): Promise<void> {
  report({ opened: handle.lastSeq });
  // Waiting for requests does not keep the process alive, and here nothing else does.
  const alive = setInterval(() => {}, 60_000);
  for await (const { id, ...request } of handle.requests(new AbortController().signal)) {
    report({ request });
    await handle.acknowledge(id);
    if (request.type === "cancel") break;
  }
  clearInterval(alive);
  await handle.close();
}

function report(message: JsonObject): void {
  writeSync(1, `${JSON.stringify(message)}\n`);
}
