// The store that keeps runs in this process: for tests, and for runs that need not outlive it. Every open of the same
// instance sees the same runs. No Node or Bun API, so that the engine's own tests can use it on any runtime.
//
// Like the stores on disk it keeps text: later changes to the caller's objects do not reach what was stored, and what
// JSON can't express is lost here too.

import { SyncItems } from "../lib/sync-items.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import type { AtomicError } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import { Bell } from "./bell.ts";
import { pageOf } from "./list-page.ts";
import type {
  IndexEntry,
  JournalEvent,
  JournalHandle,
  JournalStore,
  ListOptions,
  JournalOpenOptions,
  PendingRequest,
  ReadOptions,
  RunInfo,
  RunListing,
  RunRequest,
  Snapshot,
  StoredEvent,
} from "./port.ts";
import { ownerLost, runExists, runNotFound, runOwned } from "./refusals.ts";
import { parseRunId } from "./run-id.ts";
import { parseRunRequest } from "./run-request.ts";

const where = "memory";

interface StoredText {
  readonly at: number;
  readonly text: string;
}

interface MemoryOwner {
  readonly since: number;
  /** The run was taken from it. */
  readonly lose: () => void;
}

interface MemoryRun {
  readonly run: string;
  readonly createdAt: number;
  readonly events: StoredText[];
  snapshot: { readonly seq: number; readonly text: string } | undefined;
  requests: PendingRequest[];
  owner: MemoryOwner | undefined;
  entry: IndexEntry | undefined;
  isRemoved: boolean;
  /** Rings whenever anything above changes. */
  readonly bell: Bell;
}

export class MemorySaver implements JournalStore {
  readonly #runs = new Map<string, MemoryRun>();
  readonly #clock: Clock;
  readonly #open = new Set<MemoryHandle>();
  #requestCount = 0;

  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? systemClock;
  }

  async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    const known = this.#runs.get(parseRunId(run));
    if (known?.owner !== undefined && options.takeOver !== true) {
      throw runOwned(run, { who: "this process", since: known.owner.since, isKnownAlive: true });
    }
    if (options.mode === "create" && known !== undefined && known.events.length > 0) throw runExists(run, where);
    if (options.mode === "resume" && known === undefined) throw runNotFound(run, where);
    const opened = known ?? this.#add(run);
    const before = opened.owner;
    const handle = new MemoryHandle(opened, this.#clock, () => this.#open.delete(handle));
    this.#open.add(handle);
    before?.lose();
    opened.bell.ring();
    return handle;
  }

  async *read(run: string, options: ReadOptions = {}): AsyncGenerator<StoredEvent> {
    const { events } = this.#find(run);
    const end = events.length;
    for (let i = firstIndex(options); i < end; i++) yield eventAt(events, i);
  }

  async *follow(run: string, options: ReadOptions & { readonly signal: AbortSignal }): AsyncGenerator<StoredEvent> {
    const followed = this.#find(run);
    for (let next = firstIndex(options); !options.signal.aborted;) {
      if (next < followed.events.length) yield eventAt(followed.events, next++);
      else if (followed.isRemoved) throw runNotFound(run, where);
      else await followed.bell.next(options.signal);
    }
  }

  async request(run: string, request: RunRequest): Promise<void> {
    const asked = this.#find(run);
    const copy = parseRunRequest(JSON.stringify(request));
    if (copy !== undefined) asked.requests.push({ ...copy, id: String(++this.#requestCount) });
    asked.bell.ring();
  }

  async pending(run: string): Promise<readonly PendingRequest[]> {
    return [...this.#find(run).requests];
  }

  async info(run: string): Promise<RunInfo> {
    return describe(this.#find(run));
  }

  async list(options?: ListOptions): Promise<RunListing> {
    return pageOf([...this.#runs.values()].map(describe), options);
  }

  async remove(run: string): Promise<void> {
    const removed = this.#find(run);
    if (removed.owner !== undefined) {
      throw runOwned(run, { who: "this process", since: removed.owner.since, isKnownAlive: true });
    }
    this.#runs.delete(run);
    removed.isRemoved = true;
    removed.bell.ring();
  }

  async close(): Promise<void> {
    for (const handle of [...this.#open]) await handle.close();
  }

  /** Takes every run from its handle, as the death of the process does for a store on disk. For crash tests. */
  forgetOwners(): void {
    for (const run of this.#runs.values()) {
      run.owner = undefined;
      run.bell.ring();
    }
    this.#open.clear();
  }

  #find(run: string): MemoryRun {
    const found = this.#runs.get(parseRunId(run));
    if (found === undefined) throw runNotFound(run, where);
    return found;
  }

  #add(run: string): MemoryRun {
    const added: MemoryRun = {
      run,
      createdAt: this.#clock.now(),
      events: [],
      snapshot: undefined,
      requests: [],
      owner: undefined,
      entry: undefined,
      isRemoved: false,
      bell: new Bell(),
    };
    this.#runs.set(run, added);
    return added;
  }
}

class MemoryHandle implements JournalHandle {
  readonly run: string;
  readonly snapshot: Snapshot | undefined;
  readonly history: AsyncIterable<StoredEvent>;
  readonly bytesWritten = { events: 0, snapshots: 0 };
  readonly #stored: MemoryRun;
  readonly #clock: Clock;
  readonly #onClosed: () => void;
  readonly #owner: MemoryOwner;
  readonly #lost = new AbortController();
  #isClosed = false;

  /** Takes the run. */
  constructor(stored: MemoryRun, clock: Clock, onClosed: () => void) {
    this.run = stored.run;
    this.snapshot = stored.snapshot && { seq: stored.snapshot.seq, body: JSON.parse(stored.snapshot.text) as Json };
    this.history = new SyncItems(eventsIn(stored.events, stored.snapshot?.seq ?? 0, stored.events.length));
    this.#stored = stored;
    this.#clock = clock;
    this.#onClosed = onClosed;
    this.#owner = { since: clock.now(), lose: () => this.#lost.abort(this.#refusal()) };
    stored.owner = this.#owner;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get lastSeq(): number {
    return this.#stored.events.length;
  }

  append(events: readonly JournalEvent[], entry?: IndexEntry): readonly StoredEvent[] {
    this.#checkOwner();
    const now = this.#clock.now();
    const first = this.lastSeq + 1;
    // All are serialized before the first is stored, so an event that is not JSON leaves nothing behind.
    const texts = events.map((event) => ({ at: event.at ?? now, text: JSON.stringify(event) }));
    for (const stored of texts) {
      this.#stored.events.push(stored);
      this.bytesWritten.events += stored.text.length;
    }
    if (entry !== undefined) this.#stored.entry = { ...entry };
    this.#stored.bell.ring();
    return events.map((event, i) => ({ ...event, seq: first + i, at: event.at ?? now }));
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#checkOwner();
    const text = JSON.stringify(snapshot.body);
    this.#stored.snapshot = { seq: snapshot.seq, text };
    this.bytesWritten.snapshots += text.length;
  }

  pending(): readonly PendingRequest[] {
    return [...this.#stored.requests];
  }

  async *requests(signal: AbortSignal): AsyncGenerator<PendingRequest> {
    const seen = new Set<string>();
    while (!signal.aborted && this.#isOwner()) {
      const request = this.#stored.requests.find(({ id }) => !seen.has(id));
      if (request === undefined) {
        await this.#stored.bell.next(signal);
      } else {
        seen.add(request.id);
        yield request;
      }
    }
  }

  acknowledge(requestId: string): void {
    this.#checkOwner();
    this.#stored.requests = this.#stored.requests.filter(({ id }) => id !== requestId);
  }

  async close(): Promise<void> {
    if (this.#isOwner()) this.#stored.owner = undefined;
    this.#isClosed = true;
    this.#onClosed();
    this.#stored.bell.ring();
  }

  #isOwner(): boolean {
    return !this.#isClosed && this.#stored.owner === this.#owner;
  }

  #checkOwner(): void {
    if (!this.#isOwner()) throw this.#refusal();
  }

  #refusal(): AtomicError {
    return ownerLost(this.run, this.lastSeq, this.#isClosed ? "it was closed" : "another one took over");
  }
}

function eventAt(events: readonly StoredText[], index: number): StoredEvent {
  const { at, text } = events[index]!;
  return { ...(JSON.parse(text) as JournalEvent), seq: index + 1, at };
}

function* eventsIn(events: readonly StoredText[], start: number, end: number): Generator<StoredEvent> {
  for (let i = start; i < end; i++) yield eventAt(events, i);
}

function firstIndex(options: ReadOptions): number {
  return Math.max(options.from ?? 1, 1) - 1;
}

function describe(run: MemoryRun): RunInfo {
  return {
    run: run.run,
    owner: run.owner === undefined ? "none" : "alive",
    ownedBy: undefined,
    status: run.entry?.status,
    dueAt: run.entry?.dueAt,
    lastSeq: run.events.length,
    createdAt: run.createdAt,
    updatedAt: run.events.at(-1)?.at ?? run.createdAt,
  };
}
