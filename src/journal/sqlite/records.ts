// Reads a run from the database, a page of rows at a time: a cursor that stays open would block the checkpoints of all
// writers. Verifies checksums, and that no number is missing.

import { crc32 } from "../../lib/checksum.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import { unpackEvents } from "../packed-events.ts";
import type { JournalEvent, Snapshot, StoredEvent } from "../port.ts";
import { seqSpace } from "./database.ts";
import type { Connection, Statement } from "./sqlite-library.ts";
import { withFailures } from "./sqlite-failure.ts";

const rowsPerPage = 200;

/** One append: all its events, in one row. */
interface AppendRow {
  readonly first: number;
  readonly last: number;
  readonly at: number;
  readonly body: string;
}

/** What a run resumes from. */
export interface LoadedRun {
  readonly lastSeq: number;
  readonly snapshot: Snapshot | undefined;
  /** The events after the snapshot. Can be walked once. */
  readonly history: Iterable<StoredEvent>;
}

/** Characters of records that are kept in memory between checking and using them. */
const maxKeptChars = 2 ** 25;

export class SqliteRecords {
  /** The run's number in the database. */
  readonly number: number;
  #loaded: LoadedRun | undefined;
  readonly #path: string;
  readonly #run: string;
  readonly #page: Statement;
  readonly #start: Statement;
  readonly #last: Statement;
  readonly #snapshots: Statement;

  constructor(connection: Connection, path: string, run: string, number: number) {
    this.#path = path;
    this.#run = run;
    this.number = number;
    const range = "FROM appends WHERE id >= ?1 AND id < ?2 ORDER BY id";
    this.#page = connection.prepare(`SELECT id, last_seq, at, crc, body ${range} LIMIT ${rowsPerPage}`);
    this.#start = connection.prepare(
      "SELECT id, last_seq FROM appends WHERE id > ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1",
    );
    this.#last = connection.prepare("SELECT last_seq FROM appends WHERE id > ?1 AND id < ?2 ORDER BY id DESC LIMIT 1");
    this.#snapshots = connection.prepare(
      "SELECT id, crc, body FROM snapshots WHERE id > ?1 AND id <= ?2 ORDER BY id DESC LIMIT 1",
    );
  }

  /** For the owner of a new run: there is nothing to read. */
  static ofNew(connection: Connection, path: string, run: string, number: number): SqliteRecords {
    const records = new SqliteRecords(connection, path, run, number);
    records.#loaded = { lastSeq: 0, snapshot: undefined, history: [] };
    return records;
  }

  lastSeq(): number {
    return this.#guard(() => Number(this.#last.get(this.#key(0), this.#key(seqSpace))?.["last_seq"] ?? 0));
  }

  /** The newest intact snapshot. A damaged one costs only time, so it is skipped. */
  #snapshot(lastSeq: number): Snapshot | undefined {
    return this.#guard(() => {
      for (let newest = this.#key(lastSeq); ;) {
        const row = this.#snapshots.get(this.#key(0), newest);
        if (row === undefined || row === null) return undefined;
        const { id, crc, body } = row;
        if (typeof body === "string" && crc32(body) === crc)
          return { seq: Number(id) - this.#key(0), body: JSON.parse(body) as Json };
        newest = Number(id) - 1;
      }
    });
  }

  /** What a run resumes from, read and checked. A second call reads again only if there are more records by now. */
  load(): LoadedRun {
    const lastSeq = this.lastSeq();
    if (this.#loaded?.lastSeq !== lastSeq) {
      const snapshot = this.#snapshot(lastSeq);
      const from = (snapshot?.seq ?? 0) + 1;
      this.#loaded = { lastSeq, snapshot, history: this.#eventsOf(this.#keep(from), from) };
    }
    return this.#loaded;
  }

  /** The rows from `from` on, checked. A large run is not kept in memory: iteration reads it again. */
  #keep(from: number): Iterable<AppendRow> {
    const kept: AppendRow[] = [];
    let length = 0;
    for (const row of this.#rows(from)) {
      length += row.body.length;
      if (length <= maxKeptChars) kept.push(row);
    }
    return length <= maxKeptChars ? kept : this.#rows(from);
  }

  /** The events from `from` on, up to what is stored when the last page is read. */
  events(from: number): Generator<StoredEvent> {
    return this.#eventsOf(this.#rows(from), from);
  }

  *#eventsOf(rows: Iterable<AppendRow>, from: number): Generator<StoredEvent> {
    for (const row of rows) {
      const events = this.#parse(row);
      for (let i = Math.max(from - row.first, 0); i < events.length; i++) {
        const event = events[i]!;
        yield { ...event, seq: row.first + i, at: event.at ?? row.at };
      }
    }
  }

  *#rows(from: number): Generator<AppendRow> {
    let next = this.#startOf(from);
    for (;;) {
      const page = this.#guard(() => this.#page.all(this.#key(next), this.#key(seqSpace)));
      for (const row of page) {
        const { id, last_seq: last, at, crc, body } = row;
        const first = Number(id) - this.#key(0);
        if (first !== next) throw this.#corrupt(next, `record ${next} is missing; the next one there is ${first}`);
        if (typeof last !== "number" || typeof at !== "number" || typeof body !== "string" || last < first) {
          throw this.#corrupt(first, `record ${first} has fields of the wrong type`);
        }
        if (crc32(body) !== crc) throw this.#corrupt(first, `record ${first} does not match its checksum`);
        yield { first, last, at, body };
        next = last + 1;
      }
      if (page.length < rowsPerPage) return;
    }
  }

  /** Where to begin so that `from` is met: at the row that holds it, as a row may hold several events. */
  #startOf(from: number): number {
    if (from <= 1) return 1;
    const row = this.#guard(() => this.#start.get(this.#key(0), this.#key(from)));
    if (row === undefined || row === null) return 1;
    return Number(row["last_seq"]) < from ? Number(row["last_seq"]) + 1 : Number(row["id"]) - this.#key(0);
  }

  #parse(row: AppendRow): readonly JournalEvent[] {
    const events = unpackEvents(JSON.parse(row.body), row.at);
    if (events?.length === row.last - row.first + 1) return events;
    throw this.#corrupt(row.first, `record ${row.first} does not hold as many events as it should`);
  }

  #key(seq: number): number {
    return this.number * seqSpace + seq;
  }

  #guard<T>(body: () => T): T {
    return withFailures({ path: this.#path, doing: "reading", run: this.#run }, body);
  }

  #corrupt(seq: number, what: string): AtomicError {
    return new AtomicError(
      "JOURNAL_CORRUPT",
      `Run ${this.#run} in ${this.#path} is damaged: ${what}. The last good record is ${seq - 1}; nothing was changed. ` +
        `Restore the database from a backup, or remove the run.`,
      { details: { run: this.#run, path: this.#path, record: seq, lastGoodSeq: seq - 1 } },
    );
  }
}
