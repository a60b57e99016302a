// The durability port: what a run needs from a store, and nothing about graphs. A run is a list of events, numbered
// from 1 without gaps; everything else is a fold of it. Stores keep events, snapshots and requests; what an event
// means is decided by src/events/ and the layers above it.
//
// Invariants every store keeps (src/testing/contracts/journal-contract.ts checks them):
// - `append` stores all of its events or none, and they are durable when it returns.
// - One owner per run. An append of an owner that was replaced throws OWNER_LOST and stores nothing.
// - What can't be read back whole is refused (JOURNAL_CORRUPT, JOURNAL_NEWER), never read as an empty run.

import type { Json, JsonObject } from "../lib/json.ts";

/**
 * An event as it is appended. The store adds `seq`, and `at` if the event has none. Not an interface:
 * an optional member beside an index signature compiles only with exactOptionalPropertyTypes.
 */
export type JournalEvent = JsonObject & {
  readonly type: string;
  /** Milliseconds since the epoch. The engine sets it, because the fold depends on it; others may leave it out. */
  readonly at?: number;
};

export interface StoredEvent extends JournalEvent {
  readonly seq: number;
  readonly at: number;
}

/** A fold of all events up to and including `seq`. The body belongs to the engine. */
export interface Snapshot {
  readonly seq: number;
  readonly body: Json;
}

/** What another process asks of the one that runs. */
export type RunRequest =
  | {
      readonly type: "answer";
      readonly question: string;
      /**
       * The visit that asks: the answer is for its question alone. Without it: for the open question of that id or text,
       * or else for the next one.
       */
      readonly key?: string;
      readonly value: Json;
      /** The question gets its default, whatever its options are. `value` is that default, as the sender knew it. */
      readonly isDeclined?: boolean;
    }
  | { readonly type: "pause" }
  | { readonly type: "cancel" };

export type RunAnswerRequest = Extract<RunRequest, { readonly type: "answer" }>;

export type PendingRequest = RunRequest & { readonly id: string };

/**
 * `dead`: an owner is on record, and its process is gone or its lease is over. `unknown`: it runs, or ran, where it
 * can't be seen from here: another machine, another container.
 */
export type OwnerState = "alive" | "dead" | "unknown" | "none";

/** The process that owns a run, or last owned it. */
export interface RunOwner {
  readonly host: string;
  readonly pid: number;
  readonly since: number;
  /** For stores that many machines share: until when the run is its owner's without another sign of life. */
  readonly leaseUntil?: number;
  /** For the same stores: it runs, or ran, on another machine or in another container, where paths mean other files. */
  readonly isElsewhere?: boolean;
}

/** A run's status as its journal records it, whether or not a process is working on it. */
export type RecordedStatus = "running" | "paused" | "completed" | "failed" | "cancelled";

/** What a store shows about a run without reading its events. Passed with the append that changes it. */
export interface IndexEntry {
  readonly status: RecordedStatus;
  /** When a waiting run is due: the earliest end of its open waits and pauses before a retry. */
  readonly dueAt: number | undefined;
}

export interface RunInfo {
  readonly run: string;
  readonly owner: OwnerState;
  /** Undefined where no process is known, as in a store in memory. */
  readonly ownedBy: RunOwner | undefined;
  /** Undefined when it is not recorded: nothing is appended yet, or an earlier version wrote the run. */
  readonly status: RecordedStatus | undefined;
  readonly dueAt: number | undefined;
  readonly lastSeq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Why the run can't be read, for a list that shows it anyway. `lastSeq` is then 0. */
  readonly problem?: string;
}

export interface JournalOpenOptions {
  /**
   * - `create`: the run must not exist yet (RUN_EXISTS otherwise). A run without events, whose owner died, may exist.
   * - `resume`: it must exist (RUN_NOT_FOUND otherwise).
   * Both refuse a run whose owner is alive (RUN_OWNED).
   */
  readonly mode: "create" | "resume";
  /**
   * Take the run even from an owner that may be alive. The old one loses it: its next append throws OWNER_LOST. For
   * runs whose owner can't be checked from here (another machine, a container that is gone).
   */
  readonly takeOver?: boolean;
}

/** A run that this process owns until it closes the handle, or dies. */
export interface JournalHandle {
  readonly run: string;
  /** The newest snapshot that could be read, if there is one. */
  readonly snapshot: Snapshot | undefined;
  /** The events after the snapshot, in order. Read once, by the fold, when the run starts. */
  readonly history: AsyncIterable<StoredEvent>;
  /**
   * Aborts, with OWNER_LOST as its reason, when the run has another owner, or may have one: within a second or two, also
   * while nothing is appended. What the owner has started must stop then. Closing the handle does not abort it.
   */
  readonly lost: AbortSignal;
  /** The number of the last event that is stored. */
  readonly lastSeq: number;
  /** About how many bytes of events and of snapshots this handle wrote: they set the pace of snapshots. */
  readonly bytesWritten: { readonly events: number; readonly snapshots: number };
  /** Steps that end at the same time are stored one by one: for tests that crash a run after each of its writes. */
  readonly storesStepsApart?: boolean | undefined;
  /**
   * Durable when it returns, or when its promise resolves. Throws OWNER_LOST or JOURNAL_WRITE_FAILED.
   * Returns the events as stored. Events must be JSON; they are not checked again here. `entry` replaces what the store
   * shows about the run, together with the events or not at all.
   */
  append(events: readonly JournalEvent[], entry?: IndexEntry): readonly StoredEvent[] | Promise<readonly StoredEvent[]>;
  /** Stores the snapshot; older ones may be removed. Losing one costs time, never data. */
  saveSnapshot(snapshot: Snapshot): void | Promise<void>;
  /** Requests from before and during the run, each until it is acknowledged. Ends when the signal aborts. */
  requests(signal: AbortSignal): AsyncIterable<PendingRequest>;
  /** The requests that are pending now. Read before a run starts or suspends, so that no answer is missed. */
  pending(): readonly PendingRequest[] | Promise<readonly PendingRequest[]>;
  acknowledge(requestId: string): void | Promise<void>;
  /** Gives up ownership. Safe to call twice. */
  close(): Promise<void>;
}

export interface ReadOptions {
  /** The first event wanted; default 1. */
  readonly from?: number;
}

export interface ListOptions {
  /** Only runs with one of these statuses, and runs whose status is not recorded. */
  readonly status?: readonly RecordedStatus[];
  /** Only runs that are due at this time or before. */
  readonly dueBy?: number;
  /** Only runs that a process owns, or owned when it died. */
  readonly isOwned?: true;
  /** At most this many. */
  readonly limit?: number;
  /** Where the page before this one ended: its `next`. */
  readonly cursor?: string;
}

export interface RunListing {
  /** The most recently appended run comes first. */
  readonly runs: readonly RunInfo[];
  /** The cursor of the next page; undefined when this is the last one. */
  readonly next: string | undefined;
}

export interface JournalStore {
  open(run: string, options: JournalOpenOptions): Promise<JournalHandle>;
  /** The stored events, from any process, without becoming owner. */
  read(run: string, options?: ReadOptions): AsyncIterable<StoredEvent>;
  /** Like `read`, then continues with what is appended until the signal aborts. */
  follow(run: string, options: ReadOptions & { readonly signal: AbortSignal }): AsyncIterable<StoredEvent>;
  /** Leaves a request for the owner, or for the next one. RUN_NOT_FOUND when there is no such run. */
  request(run: string, request: RunRequest): Promise<void>;
  /** The requests that no owner has taken yet, oldest first, without becoming owner. RUN_NOT_FOUND as above. */
  pending(run: string): Promise<readonly PendingRequest[]>;
  info(run: string): Promise<RunInfo>;
  /** Reads no events. A run that moves to the front while pages are read may be missing from them. */
  list(options?: ListOptions): Promise<RunListing>;
  /** Removes every trace of the run. Refuses with RUN_OWNED while another process runs it. */
  remove(run: string): Promise<void>;
  /** Closes the runs that are open here, and the connections. The store must not be used afterwards. */
  close(): Promise<void>;
}

/** The format of everything the stores write. A file or table of a later number is refused with JOURNAL_NEWER. */
export const journalFormat = 1;
