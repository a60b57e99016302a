// Runs in one SQLite file: the embedded default. Any number of runs and processes share the file. Ownership is a row
// that changes only if it still holds what was read, so exactly one of two competing processes takes a run over.

import { resolve } from "node:path";
import { type Clock, systemClock } from "../../lib/clock.ts";
import type { FolderLock } from "../../lib/folder-lock.ts";
import { createPollPace } from "../../lib/poll-pace.ts";
import { pageOf } from "../list-page.ts";
import {
  describeOwner,
  newOwner,
  type Owner,
  type OwnerEvidence,
  ownerState,
  parseOwner,
  refusalOf,
} from "../owner.ts";
import { pauseBetweenPolls, pollPace } from "../poll.ts";
import type {
  JournalHandle,
  JournalOpenOptions,
  JournalStore,
  ListOptions,
  PendingRequest,
  ReadOptions,
  RecordedStatus,
  RunInfo,
  RunListing,
  RunRequest,
  StoredEvent,
} from "../port.ts";
import { runExists, runNotFound } from "../refusals.ts";
import { parseRunId } from "../run-id.ts";
import { requestsIn } from "../run-request.ts";
import { closeIdleConnections, connect, type Lease } from "./connections.ts";
import {
  addIndex,
  createDatabase,
  type DatabaseOptions,
  hasIndex,
  selectRequests,
  seqSpace,
  type SyncLevel,
  writeUnsynced,
} from "./database.ts";
import { type Connection, loadSqlite } from "./sqlite-library.ts";
import { SqliteRecords } from "./records.ts";
import { type SqliteFailureContext, translateSqliteFailure } from "./sqlite-failure.ts";
import { SqliteHandle } from "./sqlite-handle.ts";

export interface SqliteSaverOptions {
  /** The database file. It and its folder are created with the first run. */
  readonly path: string;
  /** `full` (default): a record survives a power cut. `normal`: it survives a kill, and is quicker. */
  readonly sync?: SyncLevel;
  /** How long a write waits for another process that writes to the same file, before it fails. Default: 5000. */
  readonly busyTimeoutMs?: number;
  readonly clock?: Clock;
  /** What the disk shows about owners that can't be seen from here; for a file that holds one run. */
  readonly ownerEvidence?: OwnerEvidence | undefined;
  /** Held while this process owns the run that is opened here. */
  readonly lock?: FolderLock | undefined;
}

const runColumns = `r.id, r.run, created_at, owner_token, owner,
  (SELECT last_seq FROM appends WHERE id > r.id << 32 AND id < (r.id + 1) << 32 ORDER BY id DESC LIMIT 1) AS last_seq,
  (SELECT at FROM appends WHERE id > r.id << 32 AND id < (r.id + 1) << 32 ORDER BY id DESC LIMIT 1) AS updated_at`;

/** A file of an earlier version, opened for reading, has no index yet. */
function selectRuns(connection: Connection): string {
  if (!hasIndex(connection)) return `SELECT ${runColumns}, NULL AS status, NULL AS due_at FROM runs AS r`;
  return `SELECT ${runColumns}, i.status, i.due_at FROM runs AS r LEFT JOIN run_index AS i ON i.run = r.id`;
}

export class SqliteSaver implements JournalStore {
  readonly #path: string;
  readonly #sync: SyncLevel;
  readonly #busyTimeoutMs: number;
  readonly #clock: Clock;
  readonly #ownerEvidence: OwnerEvidence | undefined;
  readonly #lock: FolderLock | undefined;
  readonly #open = new Set<JournalHandle>();

  constructor(options: SqliteSaverOptions) {
    if (options.path === ":memory:") throw new TypeError("SqliteSaver keeps runs in a file; MemorySaver keeps none.");
    // Resolved now, so that a later change of the working folder has no effect.
    this.#path = resolve(options.path);
    this.#sync = options.sync ?? "full";
    this.#busyTimeoutMs = options.busyTimeoutMs ?? 5000;
    this.#clock = options.clock ?? systemClock;
    this.#ownerEvidence = options.ownerEvidence;
    this.#lock = options.lock;
  }

  async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    parseRunId(run);
    const database = await this.#database();
    let lease = connect(database, "writing");
    if (lease === undefined) {
      if (options.mode === "resume") throw runNotFound(run, this.#path);
      createDatabase(database);
      lease = connect(database, "writing");
    }
    if (lease === undefined) throw runNotFound(run, this.#path);
    const { connection } = lease;
    try {
      const owner = newOwner(this.#clock.now(), this.#lock !== undefined);
      const sync = this.#sync;
      const path = this.#path;
      lease.noteWrite();
      addIndex(connection);
      const records = take(connection, { run, options, owner, path, sync, ownerEvidence: this.#ownerEvidence });
      const onClosed = (closed: JournalHandle): void => void this.#open.delete(closed);
      const parts = { lease, sync, path, run, owner, records, clock: this.#clock, lock: this.#lock, onClosed };
      const handle = new SqliteHandle(parts);
      this.#open.add(handle);
      return handle;
    } catch (error) {
      lease.discard();
      throw translateSqliteFailure(error, { path: this.#path, doing: "writing", run });
    }
  }

  async *read(run: string, options: ReadOptions = {}): AsyncGenerator<StoredEvent> {
    const lease = await this.#connect(run);
    try {
      yield* this.#records(lease.connection, run).events(options.from ?? 1);
    } catch (error) {
      lease.discard();
      throw translateSqliteFailure(error, { path: this.#path, doing: "reading", run });
    } finally {
      lease.release();
    }
  }

  async *follow(run: string, options: ReadOptions & { readonly signal: AbortSignal }): AsyncGenerator<StoredEvent> {
    const lease = await this.#connect(run);
    const { connection } = lease;
    try {
      const records = this.#records(connection, run);
      const look = connection.prepare("PRAGMA data_version");
      const find = connection.prepare("SELECT id FROM runs WHERE run = ?1");
      let next = Math.max(options.from ?? 1, 1);
      const pace = createPollPace(pollPace);
      for (let version: unknown; !options.signal.aborted;) {
        const now = look.get()?.["data_version"];
        const ms = pace(now !== version);
        if (now === version) {
          await pauseBetweenPolls({ signals: [options.signal], keepsAlive: true, ms });
          continue;
        }
        version = now;
        if (!isFound(find.get(run))) throw runNotFound(run, this.#path);
        for (const event of records.events(next)) {
          if (options.signal.aborted) return;
          yield event;
          next = event.seq + 1;
        }
      }
    } catch (error) {
      lease.discard();
      throw translateSqliteFailure(error, { path: this.#path, doing: "reading", run });
    } finally {
      lease.release();
    }
  }

  async request(run: string, request: RunRequest): Promise<void> {
    const lease = await this.#connect(run, "writing");
    lease.noteWrite();
    use(lease, { path: this.#path, doing: "writing", run }, (connection) => {
      const { changes } = connection
        .prepare("INSERT INTO requests (run, at, body) SELECT id, ?2, ?3 FROM runs WHERE run = ?1")
        .run(run, this.#clock.now(), JSON.stringify(request));
      if (Number(changes) === 0) throw runNotFound(run, this.#path);
    });
  }

  async pending(run: string): Promise<readonly PendingRequest[]> {
    return use(await this.#connect(run), { path: this.#path, doing: "reading", run }, (connection) => {
      const row = connection.prepare("SELECT id FROM runs WHERE run = ?1").get(run);
      if (!isFound(row)) throw runNotFound(run, this.#path);
      return requestsIn(connection.prepare(selectRequests).all(Number(row["id"]), 0));
    });
  }

  async info(run: string): Promise<RunInfo> {
    return use(await this.#connect(run), { path: this.#path, doing: "reading", run }, (connection) => {
      const row = connection.prepare(`${selectRuns(connection)} WHERE r.run = ?1`).get(run);
      if (!isFound(row)) throw runNotFound(run, this.#path);
      return describe(row, this.#ownerEvidence);
    });
  }

  async list(options?: ListOptions): Promise<RunListing> {
    const lease = connect(await this.#database(), "reading");
    if (lease === undefined) return pageOf([], options);
    return use(lease, { path: this.#path, doing: "reading" }, (connection) => {
      const rows = connection.prepare(selectRuns(connection)).all();
      return pageOf(
        rows.map((row) => describe(row, this.#ownerEvidence)),
        options,
      );
    });
  }

  async remove(run: string): Promise<void> {
    const lease = await this.#connect(run, "writing");
    lease.noteWrite();
    try {
      removeRun(lease.connection, run, this.#path, this.#ownerEvidence);
    } catch (error) {
      throw translateSqliteFailure(error, { path: this.#path, doing: "writing", run });
    } finally {
      // Closed at once: what was in the records must not be left in the -wal file either.
      lease.discard();
    }
  }

  async close(): Promise<void> {
    for (const handle of [...this.#open]) await handle.close();
    closeIdleConnections(this.#path);
  }

  async #database(): Promise<DatabaseOptions> {
    return { path: this.#path, sync: this.#sync, busyTimeoutMs: this.#busyTimeoutMs, sqlite: await loadSqlite() };
  }

  async #connect(run: string, doing: "reading" | "writing" = "reading"): Promise<Lease> {
    parseRunId(run);
    const lease = connect(await this.#database(), doing);
    if (lease === undefined) throw runNotFound(run, this.#path);
    return lease;
  }

  #records(connection: Connection, run: string): SqliteRecords {
    const row = connection.prepare("SELECT id FROM runs WHERE run = ?1").get(run);
    if (!isFound(row)) throw runNotFound(run, this.#path);
    return new SqliteRecords(connection, this.#path, run, Number(row["id"]));
  }
}

/** Runs `body` with the connection and releases it. */
function use<T>(lease: Lease, context: SqliteFailureContext, body: (connection: Connection) => T): T {
  try {
    return body(lease.connection);
  } catch (error) {
    lease.discard();
    throw translateSqliteFailure(error, context);
  } finally {
    lease.release();
  }
}

function removeRun(connection: Connection, run: string, path: string, ownerEvidence: OwnerEvidence | undefined): void {
  // What was in the records must not be left in the free pages of the file.
  connection.exec("PRAGMA secure_delete = ON; BEGIN IMMEDIATE");
  const row = connection.prepare("SELECT id, owner_token, owner FROM runs WHERE run = ?1").get(run);
  if (!isFound(row)) throw runNotFound(run, path);
  const refusal = row["owner_token"] === null ? undefined : refusalOfRow(run, row, ownerEvidence);
  if (refusal !== undefined) throw refusal;
  const number = Number(row["id"]);
  for (const table of ["appends", "snapshots"]) {
    connection
      .prepare(`DELETE FROM ${table} WHERE id >= ?1 AND id < ?2`)
      .run(number * seqSpace, (number + 1) * seqSpace);
  }
  connection.prepare("DELETE FROM requests WHERE run = ?1").run(number);
  if (hasIndex(connection)) connection.prepare("DELETE FROM run_index WHERE run = ?1").run(number);
  connection.prepare("DELETE FROM runs WHERE id = ?1").run(number);
  connection.exec("COMMIT");
}

interface Taking {
  readonly run: string;
  readonly options: JournalOpenOptions;
  readonly owner: Owner;
  readonly path: string;
  readonly sync: SyncLevel;
  readonly ownerEvidence: OwnerEvidence | undefined;
}

/** Makes `owner` the owner of the run and returns its records, or throws the reason why not. */
function take(connection: Connection, { run, options, owner, path, sync, ownerEvidence }: Taking): SqliteRecords {
  const find = connection.prepare("SELECT id, owner_token, owner FROM runs WHERE run = ?1");
  const written = JSON.stringify(owner);
  for (;;) {
    const made = options.mode === "create" ? insertRun(connection, { run, owner, written, sync }) : undefined;
    if (made !== undefined) return SqliteRecords.ofNew(connection, path, run, made);
    const row = find.get(run);
    if (!isFound(row)) {
      if (options.mode === "resume") throw runNotFound(run, path);
      // It existed a moment ago, and has been removed since.
      continue;
    }
    const isFree = row["owner_token"] === null || options.takeOver === true;
    const refusal = isFree ? undefined : refusalOfRow(run, row, ownerEvidence);
    if (refusal !== undefined) throw refusal;
    const number = Number(row["id"]);
    const records = new SqliteRecords(connection, path, run, number);
    if (options.mode === "create" && records.lastSeq() > 0) throw runExists(run, path);
    // A run that can't be read is refused before anything in it is changed.
    records.load();
    const { changes } = writeUnsynced(connection, sync, () =>
      connection
        .prepare("UPDATE runs SET owner_token = ?1, owner = ?2 WHERE id = ?3 AND owner_token IS ?4")
        .run(owner.token, written, number, row["owner_token"] as string | null),
    );
    if (Number(changes) === 1) return records;
  }
}

interface NewRun extends Pick<Taking, "run" | "owner" | "sync"> {
  readonly written: string;
}

/** The new run's number; undefined when the run exists. */
function insertRun(connection: Connection, { run, owner, written, sync }: NewRun): number | undefined {
  const insert = connection.prepare(
    "INSERT INTO runs (run, created_at, owner_token, owner) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING RETURNING id",
  );
  const row = writeUnsynced(connection, sync, () => insert.get(run, owner.since, owner.token, written));
  return isFound(row) ? Number(row["id"]) : undefined;
}

type Row = Readonly<Record<string, unknown>>;

/** Without a row, one library returns null and the other undefined. */
function isFound(row: Row | null | undefined): row is Row {
  return row !== null && row !== undefined;
}

function refusalOfRow(run: string, row: Row, ownerEvidence: OwnerEvidence | undefined): ReturnType<typeof refusalOf> {
  const owner = ownerIn(row);
  return owner === undefined ? undefined : refusalOf(run, owner, ownerEvidence);
}

function ownerIn(row: Row): Owner | undefined {
  return parseOwner(JSON.parse(String(row["owner"])));
}

const statuses: readonly RecordedStatus[] = ["running", "paused", "completed", "failed", "cancelled"];

function describe(row: Row, ownerEvidence: OwnerEvidence | undefined): RunInfo {
  const owner = ownerIn(row);
  const createdAt = Number(row["created_at"]);
  const isOpen = row["owner_token"] !== null && owner !== undefined;
  return {
    run: String(row["run"]),
    owner: isOpen ? ownerState(owner, ownerEvidence) : "none",
    ownedBy: owner && describeOwner(owner),
    status: statuses.find((status) => status === row["status"]),
    dueAt: typeof row["due_at"] === "number" ? row["due_at"] : undefined,
    lastSeq: Number(row["last_seq"] ?? 0),
    createdAt,
    updatedAt: Number(row["updated_at"] ?? createdAt),
  };
}
