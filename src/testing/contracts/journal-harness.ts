// What a journal store provides for the contract suite, and the helpers that its cases share. Imports no test runner,
// so that the suite runs under any of them, or without one.

import { deepStrictEqual, fail, ok, strictEqual } from "node:assert/strict";
import type { JournalEvent, JournalHandle, JournalStore, StoredEvent } from "../../journal/port.ts";
import { AtomicError, type ErrorCode } from "../../lib/errors.ts";

export interface JournalHarness {
  /** A store over the harness's storage. Each call creates a new one, unless a store is its own storage. */
  store(): JournalStore;
  /** Simulates the death of the process that owns the runs, for a store that no other process can reach. */
  readonly killOwners?: () => void;
  /**
   * The command of a program that calls `runJournalChild(store, arguments)` with a store over the same storage.
   * Without it, cases with a second process are skipped.
   */
  readonly child?: readonly string[];
  /**
   * The same, for a store that writes files itself, so that a limit on the child process can make its writes fail.
   */
  readonly limitedChild?: readonly string[];
  /** Ways to break a run that is closed. */
  readonly damages?: readonly JournalDamage[];
  /** Makes the storage read-only and returns a function that undoes it; undefined if this user can't. */
  readonly makeReadOnly?: () => (() => void) | undefined;
  dispose(): Promise<void>;
}

export interface JournalDamage {
  readonly name: string;
  /** The error of opening and reading. */
  readonly code: ErrorCode;
  /** What the message must contain so that the user can find the damage. */
  readonly mentions: RegExp;
  apply(run: string): void | Promise<void>;
}

export type MakeJournalHarness = () => Promise<JournalHarness>;

export interface JournalContractCase {
  readonly name: string;
  /** What the harness must provide besides a store. */
  readonly needs?: "child" | "damages" | "killOwners" | "makeReadOnly" | "limitedChild";
  run(make: MakeJournalHarness): Promise<void>;
}

/** A case that needs a harness and nothing else. */
export function journalCase(
  name: string,
  body: (harness: JournalHarness) => Promise<void>,
  needs?: JournalContractCase["needs"],
): JournalContractCase {
  return {
    name,
    ...(needs === undefined ? {} : { needs }),
    async run(make) {
      const harness = await make();
      try {
        await body(harness);
      } finally {
        await harness.dispose();
      }
    },
  };
}

/** An event whose content follows from its number, so that a reader can recognize a wrong one. */
function numbered(seq: number, size = 40): JournalEvent {
  return { type: "test.noted", n: seq, text: `${seq} ✓ `.padEnd(size, String(seq)) };
}

export function batch(first: number, count: number, size?: number): readonly JournalEvent[] {
  return Array.from({ length: count }, (_, i) => numbered(first + i, size));
}

/** Appends `count` numbered events, `perAppend` at a time. */
export async function appendNumbered(handle: JournalHandle, count: number, perAppend = 1): Promise<void> {
  for (let left = count; left > 0; left -= perAppend) {
    await handle.append(batch(handle.lastSeq + 1, Math.min(perAppend, left)));
  }
}

/** A closed run with this many events. */
export async function closedRun(store: JournalStore, run: string, count: number, perAppend = 1): Promise<void> {
  const handle = await store.open(run, { mode: "create" });
  await appendNumbered(handle, count, perAppend);
  await handle.close();
}

/** Checks that these are the numbered events `first` to `last`, complete, in order, without gaps or duplicates. */
export function checkNumbered(events: readonly StoredEvent[], first: number, last: number): void {
  deepStrictEqual(
    events.map((event) => event.seq),
    Array.from({ length: last - first + 1 }, (_, i) => first + i),
  );
  for (const { seq, at, ...event } of events) {
    ok(Number.isSafeInteger(at) && at > 0, `event ${seq} has no time`);
    const { text } = event;
    deepStrictEqual(event, numbered(seq, typeof text === "string" ? text.length : 0));
  }
}

export async function readAll(store: JournalStore, run: string, from?: number): Promise<StoredEvent[]> {
  return collect(store.read(run, from === undefined ? {} : { from }));
}

/** All items. Not every runtime of this suite has Array.fromAsync. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Checks that the call fails with this code, and returns the error. */
export async function refuses(code: ErrorCode, call: () => unknown): Promise<AtomicError> {
  try {
    await call();
  } catch (error) {
    if (!AtomicError.is(error)) throw error;
    strictEqual(error.code, code, error.message);
    return error;
  }
  return fail(`expected ${code}, but nothing was refused`);
}

/** Checks that the promise settles within a few turns of the event loop, that is, without waiting for a timer. */
export async function settlesAtOnce(promise: Promise<unknown>, what: string): Promise<void> {
  let isSettled = false;
  promise.then(
    () => (isSettled = true),
    () => (isSettled = true),
  );
  for (let turn = 0; turn < 20 && !isSettled; turn++) await new Promise((resolve) => setImmediate(resolve));
  ok(isSettled, `${what} does not end at once`);
}

/** Rejects when the promise takes longer than anything here should. */
export async function inTime<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
