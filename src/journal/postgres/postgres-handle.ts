// A run in PostgreSQL that this process owns. One statement stores an append: it checks the owner's number and that of
// the last event, stores the record, and renews the lease by the database's clock. No other owner can come in between.
//
// A failed append is retried for as long as the lease lasts. One whose reply was lost may be stored already; it is then
// found by its number and its checksum, and not stored twice.

import { crc32 } from "../../lib/checksum.ts";
import { createDeferred } from "../../lib/deferred.ts";
import { AtomicError } from "../../lib/errors.ts";
import { pauseBetweenPolls } from "../poll.ts";
import type { IndexEntry, JournalEvent, JournalHandle, PendingRequest, Snapshot, StoredEvent } from "../port.ts";
import { ownerLost } from "../refusals.ts";
import { requestsIn } from "../run-request.ts";
import type { PostgresValue, Row } from "./postgres-client.ts";
import type { Database } from "./database.ts";
import type { LeasedRun } from "./leases.ts";
import { ownAndRenewSql } from "./schema.ts";

const requestPollMs = 250;

const appendSql = `WITH own AS (${ownAndRenewSql} RETURNING id, updated_at)
  INSERT INTO ~appends (run, first_seq, last_seq, at, crc, body)
  SELECT id, $3::bigint, $4::bigint, updated_at, $5::bigint, $6::text FROM own RETURNING at`;

/** The same as a function, planned once per connection. It returns null where the statement returns no row. */
const functionSql = `SELECT ~append_record($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::text,
  $7::bigint, $8::text, $9::bigint) AS at`;

const storedSql = `SELECT a.at FROM ~appends a JOIN ~runs r ON r.id = a.run
  WHERE a.run = $1::bigint AND a.first_seq = $3::bigint AND a.crc = $4::bigint AND r.fence = $2::bigint`;

const snapshotSql = `WITH own AS (SELECT id FROM ~runs WHERE id = $1::bigint AND fence = $2::bigint AND is_owned FOR SHARE),
  old AS (DELETE FROM ~snapshots WHERE run IN (SELECT id FROM own)
    AND seq < (SELECT max(seq) FROM ~snapshots WHERE run = $1::bigint AND seq < $3::bigint))
  INSERT INTO ~snapshots (run, seq, crc, body) SELECT id, $3::bigint, $4::bigint, $5::text FROM own
  ON CONFLICT (run, seq) DO UPDATE SET crc = excluded.crc, body = excluded.body RETURNING seq`;

const acknowledgeSql = `DELETE FROM ~requests WHERE run = $1::bigint AND id = $3::bigint
  AND EXISTS (SELECT 1 FROM ~runs WHERE id = $1::bigint AND fence = $2::bigint AND is_owned)`;

export interface OwnedPostgresRun {
  readonly database: Database;
  readonly run: string;
  /** The run's number, and the number of its owner. */
  readonly id: string;
  readonly fence: string;
  readonly lastSeq: number;
  readonly snapshot: Snapshot | undefined;
  readonly history: AsyncIterable<StoredEvent>;
  /** When the lease began, by `performance.now`. */
  readonly ownedAt: number;
  /** The database has the function that appends. */
  readonly hasFunction: boolean;
  readonly onClosed: (handle: JournalHandle) => void;
}

export class PostgresHandle implements JournalHandle, LeasedRun {
  readonly run: string;
  readonly id: string;
  readonly fence: string;
  readonly snapshot: Snapshot | undefined;
  readonly history: AsyncIterable<StoredEvent>;
  readonly bytesWritten = { events: 0, snapshots: 0 };
  renewedAt: number;
  readonly #database: Database;
  readonly #appendSql: string;
  readonly #onClosed: OwnedPostgresRun["onClosed"];
  readonly #closing = new AbortController();
  readonly #lost = new AbortController();
  #lastSeq: number;

  constructor(of: OwnedPostgresRun) {
    this.run = of.run;
    this.id = of.id;
    this.fence = of.fence;
    this.snapshot = of.snapshot;
    this.history = of.history;
    this.renewedAt = of.ownedAt;
    this.#database = of.database;
    this.#appendSql = of.hasFunction ? functionSql : appendSql;
    this.#onClosed = of.onClosed;
    this.#lastSeq = of.lastSeq;
    of.database.leases.add(this);
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  lose(why: string): void {
    this.#database.leases.delete(this);
    this.#lost.abort(ownerLost(this.run, this.#lastSeq, why));
  }

  async append(events: readonly JournalEvent[], entry?: IndexEntry): Promise<readonly StoredEvent[]> {
    this.#checkOpen();
    if (events.length === 0) return [];
    const first = this.#lastSeq + 1;
    const last = this.#lastSeq + events.length;
    const body = JSON.stringify(events);
    const crc = String(crc32(body));
    const { leaseMs } = this.#database;
    const dueAt = entry?.dueAt === undefined ? null : String(Math.ceil(entry.dueAt));
    const rest = [String(last), crc, body, String(leaseMs), entry?.status ?? null, dueAt];
    let tries = 0;
    const at = await this.#write(async () => {
      const startedAt = performance.now();
      const isFirstTry = tries++ === 0;
      const [stored] = await this.#owned(this.#appendSql, [String(first), ...rest]);
      const storedAt = stored?.["at"] ?? undefined;
      if (storedAt !== undefined) this.renewedAt = startedAt;
      if (storedAt !== undefined || isFirstTry) return storedAt;
      // An earlier attempt at this append may have been stored, and its reply lost.
      const [found] = await this.#owned(storedSql, [String(first), crc]);
      return found?.["at"];
    });
    this.#lastSeq = last;
    this.bytesWritten.events += body.length;
    return events.map((event, i) => ({ ...event, seq: first + i, at: event.at ?? Number(at) }));
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    this.#checkOpen();
    const body = JSON.stringify(snapshot.body);
    const values = [String(snapshot.seq), String(crc32(body)), body];
    await this.#write(async () => (await this.#owned(snapshotSql, values))[0]?.["seq"]);
    this.bytesWritten.snapshots += body.length;
  }

  async pending(): Promise<readonly PendingRequest[]> {
    return (await this.#database.withRetries(() => this.#requestsAfter("0"))).requests;
  }

  async *requests(signal: AbortSignal): AsyncGenerator<PendingRequest> {
    const ends = AbortSignal.any([signal, this.#closing.signal, this.#lost.signal]);
    const ended = new Promise<undefined>((resolve) => {
      if (ends.aborted) resolve(undefined);
      else ends.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    let after = "0";
    while (!ends.aborted) {
      const looked = this.#database.withRetries(
        () => this.#requestsAfter(after),
        () => ends.aborted,
      );
      // No caller is left to report a failure to.
      looked.catch(() => undefined);
      const found = await Promise.race([looked, ended]);
      if (found === undefined) return;
      after = found.last;
      for (const request of found.requests) {
        if (ends.aborted) return;
        yield request;
      }
      await pauseBetweenPolls({ signals: [ends], keepsAlive: false, ms: requestPollMs });
    }
  }

  async acknowledge(requestId: string): Promise<void> {
    this.#checkOpen();
    if (!/^\d{1,18}$/.test(requestId)) return;
    await this.#database.withRetries(() => this.#owned(acknowledgeSql, [requestId]));
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#database.leases.delete(this);
    try {
      // A lost run has another owner, or can't be reached.
      if (this.#lost.signal.aborted) return;
      await this.#owned(
        "UPDATE ~runs SET is_owned = false WHERE id = $1::bigint AND fence = $2::bigint AND is_owned",
        [],
      );
    } catch (error) {
      // The database can't be reached: the run is released anyway, and free when its lease ends.
      if (!AtomicError.is(error)) throw error;
    } finally {
      this.#onClosed(this);
    }
  }

  #owned(text: string, values: readonly PostgresValue[]): Promise<readonly Row[]> {
    return this.#database.query("writing", text, [this.id, this.fence, ...values]);
  }

  /** Undefined from `body` means that the run is no longer this handle's. */
  async #write(body: () => Promise<unknown>): Promise<unknown> {
    try {
      const written = await this.#unlessLost(this.#database.withRetries(body, () => this.#lost.signal.aborted));
      if (written !== undefined && written !== null) return written;
    } catch (error) {
      if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
      if (!AtomicError.is(error, "JOURNAL_WRITE_FAILED")) throw error;
      const kept = `Run ${this.run} is kept up to record ${this.#lastSeq} and can be resumed from there.`;
      throw new AtomicError("JOURNAL_WRITE_FAILED", `${error.message} ${kept}`, {
        cause: error,
        details: { ...error.details, run: this.run, lastSeq: this.#lastSeq },
      });
    }
    this.lose("another one took over");
    throw this.#lost.signal.reason;
  }

  /** An owner that has lost the run does not wait for an unresponsive database. */
  async #unlessLost<T>(written: Promise<T>): Promise<T> {
    const { signal } = this.#lost;
    const lost = createDeferred<never>();
    const onLost = (): void => lost.reject(signal.reason as Error);
    signal.addEventListener("abort", onLost, { once: true });
    try {
      return await Promise.race([written, lost.promise]);
    } finally {
      signal.removeEventListener("abort", onLost);
      // No caller is left to report a later failure to.
      written.catch(() => undefined);
    }
  }

  async #requestsAfter(
    after: string,
  ): Promise<{ readonly requests: readonly PendingRequest[]; readonly last: string }> {
    const text = "SELECT id, body FROM ~requests WHERE run = $1::bigint AND id > $2::bigint ORDER BY id";
    const rows = await this.#database.query("reading", text, [this.id, after]);
    const last = rows.at(-1);
    return { requests: requestsIn(rows), last: last === undefined ? after : String(last["id"]) };
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted) throw ownerLost(this.run, this.#lastSeq, "it was closed");
    if (this.#lost.signal.aborted) throw this.#lost.signal.reason;
  }
}
