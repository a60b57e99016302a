// Reads a run from the database, a page of rows at a time. Verifies checksums, and that no number is missing.

import { crc32 } from "../../lib/checksum.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { Json } from "../../lib/json.ts";
import type { JournalEvent, Snapshot, StoredEvent } from "../port.ts";
import type { Database } from "./database.ts";

/** One append: all its events, in one row. */
interface AppendRow {
  readonly first: number;
  readonly last: number;
  readonly at: number;
  readonly body: string;
}

/** A page has about this many characters. */
const charactersPerPage = 2 ** 21;
const maxRowsPerPage = 500;
/** Characters of records that are kept in memory between checking and using them. */
const maxKeptChars = 2 ** 25;

export class PostgresRecords {
  readonly #database: Database;
  readonly #run: string;
  readonly #id: string;

  /** `id`: the run's number. */
  constructor(database: Database, run: string, id: string) {
    this.#database = database;
    this.#run = run;
    this.#id = id;
  }

  /** The newest intact snapshot. A damaged one costs only time, so it is skipped. */
  async snapshot(lastSeq: number): Promise<Snapshot | undefined> {
    const text =
      "SELECT seq, crc, body FROM ~snapshots WHERE run = $1::bigint AND seq <= $2::bigint ORDER BY seq DESC LIMIT 2";
    for (const { seq, crc, body } of await this.#database.query("reading", text, [this.#id, String(lastSeq)])) {
      if (typeof body === "string" && crc32(body) === Number(crc))
        return { seq: Number(seq), body: JSON.parse(body) as Json };
    }
    return undefined;
  }

  /** The events from `from` to `last`, read and checked now. Many are not kept in memory: iteration reads them again. */
  async load(from: number, last: number): Promise<AsyncIterable<StoredEvent>> {
    const kept: AppendRow[] = [];
    let length = 0;
    for await (const row of this.#rows(from, last)) {
      length += row.body.length;
      if (length <= maxKeptChars) kept.push(row);
    }
    return this.#eventsOf(length <= maxKeptChars ? kept : this.#rows(from, last), from);
  }

  events(from: number, last: number): AsyncGenerator<StoredEvent> {
    return this.#eventsOf(this.#rows(from, last), from);
  }

  async *#eventsOf(rows: Iterable<AppendRow> | AsyncIterable<AppendRow>, from: number): AsyncGenerator<StoredEvent> {
    for await (const row of rows) {
      const events = this.#parse(row);
      for (let i = Math.max(from - row.first, 0); i < events.length; i++) {
        const event = events[i]!;
        yield { ...event, seq: row.first + i, at: event.at ?? row.at };
      }
    }
  }

  async *#rows(from: number, last: number): AsyncGenerator<AppendRow> {
    let next = await this.#startOf(from);
    for (let limit = 20; next <= last;) {
      const page = await this.#database.query(
        "reading",
        `SELECT first_seq, last_seq, at, crc, body FROM ~appends
         WHERE run = $1::bigint AND first_seq >= $2::bigint AND first_seq <= $3::bigint ORDER BY first_seq LIMIT $4::int`,
        [this.#id, String(next), String(last), String(limit)],
      );
      if (page.length === 0) throw this.#corrupt(next, `record ${next} is missing; ${last} should be the last one`);
      let length = 0;
      for (const row of page) {
        const first = Number(row["first_seq"]);
        const body = String(row["body"]);
        if (first !== next) throw this.#corrupt(next, `record ${next} is missing; the next one there is ${first}`);
        if (crc32(body) !== Number(row["crc"]))
          throw this.#corrupt(first, `record ${first} does not match its checksum`);
        yield { first, last: Number(row["last_seq"]), at: Number(row["at"]), body };
        next = Number(row["last_seq"]) + 1;
        length += body.length;
      }
      limit = Math.max(1, Math.min(maxRowsPerPage, Math.ceil((charactersPerPage * page.length) / Math.max(length, 1))));
    }
  }

  /** The first event of the row that holds `from`: a row may hold several events. */
  async #startOf(from: number): Promise<number> {
    if (from <= 1) return 1;
    const text = `SELECT first_seq, last_seq FROM ~appends
      WHERE run = $1::bigint AND first_seq <= $2::bigint ORDER BY first_seq DESC LIMIT 1`;
    const [row] = await this.#database.query("reading", text, [this.#id, String(from)]);
    if (row === undefined) return 1;
    return Number(row["last_seq"]) < from ? Number(row["last_seq"]) + 1 : Number(row["first_seq"]);
  }

  #parse(row: AppendRow): readonly JournalEvent[] {
    const events: unknown = JSON.parse(row.body);
    if (Array.isArray(events) && events.length === row.last - row.first + 1) return events as JournalEvent[];
    throw this.#corrupt(row.first, `record ${row.first} does not hold as many events as it should`);
  }

  #corrupt(seq: number, what: string): AtomicError {
    const { shown } = this.#database.address;
    return new AtomicError(
      "JOURNAL_CORRUPT",
      `Run ${this.#run} in the ${shown} is damaged: ${what}. The last good record is ${seq - 1}; nothing was changed. ` +
        "Restore the database from a backup, or remove the run.",
      { details: { run: this.#run, database: shown, record: seq, lastGoodSeq: seq - 1 } },
    );
  }
}
