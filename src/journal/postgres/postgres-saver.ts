// Runs in PostgreSQL, for any number of machines. Ownership is a number that grows with every owner, and a lease that
// ends by the database's clock, so the clocks of the machines don't matter. A dead process of this machine is noticed
// at once.
//
// No NOTIFY: inside a transaction it makes all commits of the database wait for each other. Readers poll instead.

import { currentProcess, describeProcess, parseProcessIdentity } from "../../lib/process-identity.ts";
import { listingOf, parseCursor } from "../list-page.ts";
import { pauseBetweenPolls } from "../poll.ts";
import type {
  JournalHandle,
  JournalOpenOptions,
  JournalStore,
  ListOptions,
  PendingRequest,
  ReadOptions,
  RunInfo,
  RunListing,
  RunRequest,
  StoredEvent,
} from "../port.ts";
import { runExists, runNotFound, runOwned } from "../refusals.ts";
import { parseRunId } from "../run-id.ts";
import { requestsIn } from "../run-request.ts";
import type { StoreShelf } from "../store-shelf.ts";
import { type DatabaseAddress, parseAddress } from "./database-address.ts";
import type { Row, PostgresValue } from "./postgres-client.ts";
import { type Database, shareDatabase, type SharedDatabase } from "./database.ts";
import { PostgresHandle } from "./postgres-handle.ts";
import { PostgresShelf } from "./postgres-shelf.ts";
import { PostgresRecords } from "./records.ts";
import { describeRun, rowOwnerState, runColumns } from "./run-row.ts";
import { hasFunctionSql, nowSql } from "./schema.ts";

export interface PostgresSaverOptions {
  /** postgres://USER:PASSWORD@HOST:PORT/DATABASE; `?schema=NAME` names the schema. */
  readonly url: string;
  /** Holds the tables. Default: atomic. */
  readonly schema?: string;
  /** How long a run stays its owner's after its last sign of life, at least a second. Default: 30,000. */
  readonly leaseMs?: number;
}

const followPollMs = 200;

const takenColumns = `id, fence, ${hasFunctionSql} AS has_function`;

const createSql = `INSERT INTO ~runs (run, created_at, updated_at, is_owned, owner, since, lease_until)
  SELECT $1::text, now, now, true, $2::text, now, clock_timestamp() + $3::bigint * interval '1 ms'
  FROM (SELECT ${nowSql} AS now) AS clock ON CONFLICT DO NOTHING RETURNING ${takenColumns}`;

const takeSql = `UPDATE ~runs SET fence = fence + 1, is_owned = true, owner = $2::text, since = ${nowSql},
    lease_until = clock_timestamp() + $3::bigint * interval '1 ms'
  WHERE id = $1::bigint AND fence = $4::bigint AND is_owned = ($5::text = 'true') AND last_seq = $6::bigint
  RETURNING ${takenColumns}`;

const removeSql = `WITH gone AS (DELETE FROM ~runs
    WHERE id = $1::bigint AND fence = $2::bigint AND is_owned = ($3::text = 'true') RETURNING id),
  a AS (DELETE FROM ~appends WHERE run IN (SELECT id FROM gone)),
  s AS (DELETE FROM ~snapshots WHERE run IN (SELECT id FROM gone)),
  q AS (DELETE FROM ~requests WHERE run IN (SELECT id FROM gone)),
  t AS (DELETE FROM ~transcripts WHERE run_id IN (SELECT id FROM gone)),
  l AS (DELETE FROM ~summaries WHERE run_id IN (SELECT id FROM gone))
  SELECT id FROM gone`;

export class PostgresSaver implements JournalStore {
  readonly #address: DatabaseAddress;
  readonly #leaseMs: number;
  readonly #open = new Set<JournalHandle>();
  /** For the product's own store; not part of the port. */
  readonly shelf: StoreShelf = new PostgresShelf(() => this.#database);
  #shared: SharedDatabase | undefined;

  constructor(options: PostgresSaverOptions) {
    this.#address = parseAddress(options.url, options.schema);
    this.#leaseMs = Math.max(1000, Math.round(options.leaseMs ?? 30_000));
  }

  /** Where runs are kept, without the password. */
  get place(): string {
    return this.#address.shown;
  }

  /** Creates missing tables for the runs. Needs permission to create tables. */
  async prepare(): Promise<void> {
    await this.#database.prepare();
  }

  async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    parseRunId(run);
    await this.#database.checkFormat();
    const owner = JSON.stringify(currentProcess());
    for (;;) {
      const row = await this.#find(run);
      const handle =
        row === undefined ? await this.#create(run, options, owner) : await this.#take(run, row, options, owner);
      // Undefined: another process changed the run first. Look again.
      if (handle !== undefined) return handle;
    }
  }

  async *read(run: string, options: ReadOptions = {}): AsyncGenerator<StoredEvent> {
    const row = await this.#require(run);
    yield* this.#records(run, row).events(Math.max(options.from ?? 1, 1), Number(row["last_seq"]));
  }

  async *follow(run: string, options: ReadOptions & { readonly signal: AbortSignal }): AsyncGenerator<StoredEvent> {
    const { signal } = options;
    let row = await this.#require(run);
    const { id } = row;
    for (let next = Math.max(options.from ?? 1, 1); !signal.aborted;) {
      for await (const event of this.#records(run, row).events(next, Number(row["last_seq"]))) {
        if (signal.aborted) return;
        yield event;
        next = event.seq + 1;
      }
      await pauseBetweenPolls({ signals: [signal], keepsAlive: true, ms: followPollMs });
      if (signal.aborted) return;
      const found = await this.#database.withRetries(
        () => this.#find(run),
        () => signal.aborted,
      );
      // Removed, or removed and created again: that is another run.
      if (found === undefined || found["id"] !== id) throw runNotFound(run, this.place);
      row = found;
    }
  }

  async request(run: string, request: RunRequest): Promise<void> {
    parseRunId(run);
    const text = `INSERT INTO ~requests (run, at, body)
      SELECT id, ${nowSql}, $2::text FROM ~runs WHERE run = $1::text RETURNING id`;
    const rows = await this.#database.query("writing", text, [run, JSON.stringify(request)]);
    if (rows.length === 0) throw runNotFound(run, this.place);
  }

  async pending(run: string): Promise<readonly PendingRequest[]> {
    const { id } = await this.#require(run);
    const text = "SELECT id, body FROM ~requests WHERE run = $1::bigint ORDER BY id";
    return requestsIn(await this.#database.query("reading", text, [String(id)]));
  }

  async info(run: string): Promise<RunInfo> {
    return describeRun(await this.#require(run));
  }

  async list(options: ListOptions = {}): Promise<RunListing> {
    const where: string[] = [];
    const values: PostgresValue[] = [];
    const add = (condition: (...names: string[]) => string, ...given: string[]): void => {
      where.push(condition(...given.map((value) => `$${values.push(value)}`)));
    };
    const { status, dueBy, isOwned, limit, cursor } = options;
    if (isOwned === true) where.push("is_owned");
    if (status !== undefined)
      add((list) => `(status IS NULL OR status = ANY(string_to_array(${list}::text, ',')))`, status.join(","));
    if (dueBy !== undefined) add((due) => `due_at <= ${due}::bigint`, String(Math.floor(dueBy)));
    if (cursor !== undefined) {
      const { updatedAt, run } = parseCursor(cursor);
      add(
        (at, name) => `(updated_at < ${at}::bigint OR (updated_at = ${at}::bigint AND run > ${name}::text))`,
        String(updatedAt),
        run,
      );
    }
    const text = `SELECT ${runColumns} FROM ~runs ${where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`}
      ORDER BY updated_at DESC, run ${limit === undefined ? "" : `LIMIT ${Math.max(0, Math.floor(limit)) + 1}`}`;
    const rows = await this.#database.query("reading", text, values);
    const shown = rows.slice(0, limit ?? rows.length).map(describeRun);
    return listingOf(shown, rows.length > shown.length);
  }

  async remove(run: string): Promise<void> {
    for (;;) {
      const row = await this.#require(run);
      refuseOwned(run, row);
      const values = [String(row["id"]), String(row["fence"]), String(row["is_owned"])];
      if ((await this.#database.query("writing", removeSql, values)).length === 1) return;
    }
  }

  async close(): Promise<void> {
    for (const handle of [...this.#open]) await handle.close();
    await this.#shared?.release();
  }

  get #database(): Database {
    this.#shared ??= shareDatabase(this.#address, this.#leaseMs);
    return this.#shared.database;
  }

  async #find(run: string): Promise<Row | undefined> {
    return (await this.#database.query("reading", `SELECT ${runColumns} FROM ~runs WHERE run = $1::text`, [run]))[0];
  }

  async #require(run: string): Promise<Row> {
    parseRunId(run);
    await this.#database.checkFormat();
    const row = await this.#find(run);
    if (row === undefined) throw runNotFound(run, this.place);
    return row;
  }

  #records(run: string, row: Row): PostgresRecords {
    return new PostgresRecords(this.#database, run, String(row["id"]));
  }

  async #create(run: string, options: JournalOpenOptions, owner: string): Promise<JournalHandle | undefined> {
    if (options.mode === "resume") throw runNotFound(run, this.place);
    const ownedAt = performance.now();
    const [made] = await this.#database.query("writing", createSql, [run, owner, String(this.#leaseMs)]);
    return made && this.#handle({ run, made, ownedAt, lastSeq: 0, snapshot: undefined, history: nothing() });
  }

  async #take(run: string, row: Row, options: JournalOpenOptions, owner: string): Promise<JournalHandle | undefined> {
    if (options.takeOver !== true) refuseOwned(run, row);
    const lastSeq = Number(row["last_seq"]);
    if (options.mode === "create" && lastSeq > 0) throw runExists(run, this.place);
    // A run that can't be read is refused before anything in it is changed. The statement that takes it checks that
    // nothing was appended in between.
    const records = this.#records(run, row);
    const snapshot = await records.snapshot(lastSeq);
    const history = await records.load((snapshot?.seq ?? 0) + 1, lastSeq);
    const ownedAt = performance.now();
    const seen = [String(row["fence"]), String(row["is_owned"]), String(row["last_seq"])];
    const values = [String(row["id"]), owner, String(this.#leaseMs), ...seen];
    const [made] = await this.#database.query("writing", takeSql, values);
    return made && this.#handle({ run, made, ownedAt, lastSeq, snapshot, history });
  }

  #handle(taken: Taken): JournalHandle {
    const { made, ...of } = taken;
    const handle = new PostgresHandle({
      ...of,
      database: this.#database,
      id: String(made["id"]),
      fence: String(made["fence"]),
      hasFunction: made["has_function"] === "true",
      onClosed: (closed) => this.#open.delete(closed),
    });
    this.#open.add(handle);
    return handle;
  }
}

interface Taken {
  readonly run: string;
  readonly made: Row;
  readonly ownedAt: number;
  readonly lastSeq: number;
  readonly snapshot: JournalHandle["snapshot"];
  readonly history: JournalHandle["history"];
}

async function* nothing(): AsyncGenerator<StoredEvent> {}

function refuseOwned(run: string, row: Row): void {
  if (rowOwnerState(row) !== "alive") return;
  const process = parseProcessIdentity(JSON.parse(String(row["owner"])));
  throw runOwned(run, {
    who: process === undefined ? "another process" : describeProcess(process),
    since: Number(row["since"]),
    isKnownAlive: true,
    leaseUntil: Number(row["leased_until"]),
    details: { pid: process?.pid, host: process?.host, since: Number(row["since"]) },
  });
}
