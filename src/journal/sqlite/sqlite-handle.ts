// A run in SQLite that this process owns. The owner's token is checked by the statement that stores a record, so that
// no other process can come between the check and the write. Appends are synchronous: durable when they return.

import { statSync } from "node:fs";
import { SyncItems } from "../../lib/sync-items.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FolderLock } from "../../lib/folder-lock.ts";
import { crc32 } from "../../lib/checksum.ts";
import { AtomicError } from "../../lib/errors.ts";
import { noteRelease, type Owner } from "../owner.ts";
import { watchOwner } from "../owner-watch.ts";
import { packEvents } from "../packed-events.ts";
import { createPollPace } from "../../lib/poll-pace.ts";
import { pauseBetweenPolls, pollIntervalMs, pollPace } from "../poll.ts";
import type { IndexEntry, JournalEvent, JournalHandle, PendingRequest, Snapshot, StoredEvent } from "../port.ts";
import { ownerLost } from "../refusals.ts";
import { requestsIn } from "../run-request.ts";
import type { Lease } from "./connections.ts";
import { selectRequests, seqSpace, type SyncLevel, takesPackedEvents, writeUnsynced } from "./database.ts";
import type { Connection, Statement } from "./sqlite-library.ts";
import type { SqliteRecords } from "./records.ts";
import { isSqliteError, isUncertain, translateSqliteFailure } from "./sqlite-failure.ts";

const isOwner = "EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND owner_token = ?2)";

export interface OwnedSqliteRun {
  readonly lease: Lease;
  readonly sync: SyncLevel;
  readonly path: string;
  readonly run: string;
  readonly owner: Owner;
  readonly records: SqliteRecords;
  readonly clock: Clock;
  readonly lock?: FolderLock | undefined;
  readonly onClosed: (handle: JournalHandle) => void;
}

/** The reason of every abort: without one, Node creates an error with a stack each time. */
const closed = new Error("the run was closed");

export class SqliteHandle implements JournalHandle {
  readonly run: string;
  readonly snapshot: Snapshot | undefined;
  readonly history: AsyncIterable<StoredEvent>;
  readonly bytesWritten = { events: 0, snapshots: 0 };
  readonly #of: OwnedSqliteRun;
  readonly #connection: Connection;
  readonly #number: number;
  readonly #insert: Statement;
  readonly #isPacking: boolean;
  /** Acknowledged requests that are still stored. */
  readonly #acknowledged = new Set<number>();
  readonly #closing = new AbortController();
  #lastSeq: number;
  readonly #lost = new AbortController();
  readonly #stopWatching: () => void;
  /** When the file was last looked at: first when its connection was taken. */
  #lookedAt: number;
  #seenVersion: unknown;
  #broken: AtomicError | undefined;

  constructor(of: OwnedSqliteRun) {
    this.run = of.run;
    this.#of = of;
    this.#connection = of.lease.connection;
    this.#lookedAt = of.owner.since;
    this.#number = of.records.number;
    const { lastSeq, snapshot, history } = of.records.load();
    this.#lastSeq = lastSeq;
    this.snapshot = snapshot;
    this.history = new SyncItems(history);
    this.#insert = this.#connection.prepare(
      `INSERT INTO appends (id, last_seq, at, crc, body) SELECT ?3, ?4, ?5, ?6, ?7 WHERE ${isOwner}`,
    );
    this.#isPacking = takesPackedEvents(this.#connection);
    this.#stopWatching = watchOwner({ look: () => this.#look(), lost: this.#lost });
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  append(events: readonly JournalEvent[], entry?: IndexEntry): readonly StoredEvent[] {
    this.#checkOpen();
    if (events.length === 0) return [];
    const { owner, clock } = this.#of;
    const number = this.#number;
    const now = clock.now();
    const first = this.#lastSeq + 1;
    const last = this.#lastSeq + events.length;
    const body = JSON.stringify(this.#isPacking ? packEvents(events, now) : events);
    const insert = (): void => {
      const key = number * seqSpace + first;
      const { changes } = this.#insert.run(number, owner.token, key, last, now, crc32(body), body);
      if (Number(changes) === 0) throw this.#lose();
    };
    this.#write(() => {
      this.#checkFile(now);
      if (entry === undefined && this.#acknowledged.size === 0) return insert();
      this.#inTransaction(() => {
        insert();
        this.#removeAcknowledged();
        if (entry === undefined) return;
        this.#connection
          .prepare("INSERT OR REPLACE INTO run_index (run, status, due_at) VALUES (?1, ?2, ?3)")
          .run(number, entry.status, entry.dueAt === undefined ? null : Math.ceil(entry.dueAt));
      });
      this.#acknowledged.clear();
    });
    this.#lastSeq = last;
    this.bytesWritten.events += body.length;
    return events.map((event, i) => ({ ...event, seq: first + i, at: event.at ?? now }));
  }

  saveSnapshot(snapshot: Snapshot): void {
    this.#checkOpen();
    const { owner } = this.#of;
    const number = this.#number;
    const connection = this.#connection;
    const body = JSON.stringify(snapshot.body);
    const base = number * seqSpace;
    this.#write(() => {
      this.#inTransaction(() => {
        const saved = connection
          .prepare(`INSERT OR REPLACE INTO snapshots (id, crc, body) SELECT ?3, ?4, ?5 WHERE ${isOwner}`)
          .run(number, owner.token, base + snapshot.seq, crc32(body), body);
        if (Number(saved.changes) === 0) throw this.#lose();
        // The previous snapshot stays, in case this one turns out to be unreadable.
        connection
          .prepare(
            `DELETE FROM snapshots WHERE id > ?1 AND id < (
             SELECT min(id) FROM (SELECT id FROM snapshots WHERE id > ?1 AND id <= ?2 ORDER BY id DESC LIMIT 2))`,
          )
          .run(base, base + snapshot.seq);
      });
      this.bytesWritten.snapshots += body.length;
    });
  }

  pending(): readonly PendingRequest[] {
    return this.#read(() => this.#requestsAfter(0).requests);
  }

  async *requests(signal: AbortSignal): AsyncGenerator<PendingRequest> {
    const signals = [signal, this.#closing.signal];
    const isOver = (): boolean => signals.some(({ aborted }) => aborted);
    let after = 0;
    let version: unknown;
    const pace = createPollPace(pollPace);
    while (!isOver()) {
      const now = this.#read(() => this.#connection.prepare("PRAGMA data_version").get()?.["data_version"]);
      const ms = pace(now !== version);
      if (now !== version) {
        version = now;
        const { requests, last } = this.#read(() => this.#requestsAfter(after));
        after = last;
        for (const request of requests) {
          if (isOver()) return;
          yield request;
        }
      }
      await pauseBetweenPolls({ signals, keepsAlive: false, ms });
    }
  }

  /** Deferred to the next record, or to `close`. A request that a kill leaves behind is recognized as done. */
  acknowledge(requestId: string): void {
    this.#checkOpen();
    this.#acknowledged.add(Number(requestId));
  }

  #removeAcknowledged(): void {
    for (const id of this.#acknowledged)
      this.#connection.prepare("DELETE FROM requests WHERE run = ?1 AND id = ?2").run(this.#number, id);
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(closed);
    this.#stopWatching();
    const { lease, sync, owner } = this.#of;
    const number = this.#number;
    const release = (): void => {
      const { changes } = this.#connection
        .prepare("UPDATE runs SET owner_token = NULL WHERE id = ?1 AND owner_token = ?2")
        .run(number, owner.token);
      // The next owner reads the requests again.
      if (Number(changes) === 1) this.#removeAcknowledged();
    };
    try {
      writeUnsynced(this.#connection, sync, () => {
        if (this.#acknowledged.size === 0) release();
        else this.#inTransaction(release);
      });
    } catch (thrown) {
      // A full disk, for example. The run is released anyway; the failed write was reported when it happened.
      noteRelease(owner);
      lease.discard();
      if (!isSqliteError(thrown)) throw thrown;
    } finally {
      if (this.#broken === undefined) lease.release();
      else lease.discard();
      this.#of.lock?.release();
      this.#of.onClosed(this);
    }
  }

  #requestsAfter(after: number): { readonly requests: readonly PendingRequest[]; readonly last: number } {
    const rows = this.#connection.prepare(selectRequests).all(this.#number, after);
    const requests = requestsIn(rows.filter(({ id }) => !this.#acknowledged.has(Number(id))));
    return { requests, last: Number(rows.at(-1)?.["id"] ?? after) };
  }

  #read<T>(body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw translateSqliteFailure(error, { path: this.#of.path, doing: "reading", run: this.run });
    }
  }

  #write(body: () => void): void {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      body();
    } catch (error) {
      const failure = translateSqliteFailure(error, {
        path: this.#of.path,
        doing: "writing",
        run: this.run,
        lastSeq: this.#lastSeq,
      });
      // Only reopening the run shows whether the record was stored.
      if (isUncertain(error) && AtomicError.is(failure)) this.#broken = failure;
      throw failure;
    }
  }

  /** A database that was deleted or replaced would keep accepting records that no reader could ever see. */
  #checkFile(now: number): void {
    if (now - this.#lookedAt < pollIntervalMs && now >= this.#lookedAt) return;
    this.#lookedAt = now;
    const file = statSync(this.#of.path, { throwIfNoEntry: false });
    const { ino, dev } = this.#of.lease.file;
    if (file?.ino === ino && file.dev === dev) return;
    throw new AtomicError(
      "JOURNAL_WRITE_FAILED",
      `The database ${this.#of.path} was deleted or replaced while run ${this.run} was using it. Put it back if you ` +
        `can; this process has stopped storing records after ${this.#lastSeq}.`,
      { details: { path: this.#of.path, run: this.run, lastSeq: this.#lastSeq } },
    );
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw ownerLost(this.run, this.#lastSeq, "it was closed");
    if (this.#lost.signal.aborted) throw this.#refusal();
  }

  /** Asks the database only when another connection wrote to it. */
  #look(): AtomicError | undefined {
    const version = this.#read(() => this.#connection.prepare("PRAGMA data_version").get()?.["data_version"]);
    if (version === this.#seenVersion) return undefined;
    const row = this.#read(() =>
      this.#connection
        .prepare("SELECT 1 AS own FROM runs WHERE id = ?1 AND owner_token = ?2")
        .get(this.#number, this.#of.owner.token),
    );
    this.#seenVersion = version;
    return row?.["own"] === 1 ? undefined : this.#refusal();
  }

  #lose(): AtomicError {
    const refusal = this.#refusal();
    this.#lost.abort(refusal);
    return refusal;
  }

  #refusal(): AtomicError {
    return ownerLost(this.run, this.#lastSeq, "another one took over");
  }

  #inTransaction(body: () => void): void {
    this.#connection.prepare("BEGIN IMMEDIATE").run();
    try {
      body();
      this.#connection.prepare("COMMIT").run();
    } catch (error) {
      rollBack(this.#connection);
      throw error;
    }
  }
}

function rollBack(connection: Connection): void {
  try {
    connection.exec("ROLLBACK");
  } catch (thrown) {
    // SQLite has already rolled back what failed with a full disk.
    if (!isSqliteError(thrown)) throw thrown;
  }
}
