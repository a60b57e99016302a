// The database file: its schema, how it is created, and which files are refused. connections.ts decides which
// connections are open.
//
// A database is moved into place with its tables complete, so an empty file is never one of ours in the making: it is
// damage.

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { discard, publishFile, setMode, syncFile, systemCode, temporaryName } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { isOutOfFilesCode, outOfFiles } from "../../lib/open-files.ts";
import type { Connection, OpenSqlite } from "./sqlite-library.ts";
import { journalModeIn, type JournalMode, setJournalMode } from "./journal-mode.ts";
import { isReadOnlyFolder, openReadOnly } from "./read-only.ts";
import { corruptDatabase, isOpenFailure, isSqliteError, isUncertain, withFailures } from "./sqlite-failure.ts";

/** Marks the file as ours in SQLite's own header ("atom"). */
const applicationId = 0x61746f6d;

/** The format of a new database. Since 2, records may hold packed events. Databases of format 1 keep their format. */
const databaseFormat = 2;

/** Runs have numbers, and a record's key is its run's number and its first seq: reading a run is reading a range. */
export const seqSpace = 2 ** 32;

/** The requests of a run, given its number, with ids greater than ?2. */
export const selectRequests = "SELECT id, body FROM requests WHERE run = ?1 AND id > ?2 ORDER BY id";

/** What lists show of a run. Files of earlier versions get it when one of their runs is next opened. */
const indexTable = `
CREATE TABLE IF NOT EXISTS run_index (
  run INTEGER PRIMARY KEY,
  status TEXT NOT NULL,
  due_at INTEGER
) STRICT;`;

const schema = `
CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  owner_token TEXT,
  owner TEXT NOT NULL
) STRICT;
CREATE TABLE appends (
  id INTEGER PRIMARY KEY,
  last_seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  body TEXT NOT NULL,
  run INTEGER GENERATED ALWAYS AS (id >> 32) VIRTUAL,
  first_seq INTEGER GENERATED ALWAYS AS (id & 4294967295) VIRTUAL
) STRICT;
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY,
  crc INTEGER NOT NULL,
  body TEXT NOT NULL,
  run INTEGER GENERATED ALWAYS AS (id >> 32) VIRTUAL,
  seq INTEGER GENERATED ALWAYS AS (id & 4294967295) VIRTUAL
) STRICT;
CREATE TABLE requests (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
${indexTable}
PRAGMA application_id = ${applicationId};
PRAGMA user_version = ${databaseFormat};
`;

export function hasIndex(connection: Connection): boolean {
  const found = connection.prepare("SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'run_index'");
  return found.get()?.["found"] === 1;
}

export function addIndex(connection: Connection): void {
  once(withIndex, connection, () => {
    if (!hasIndex(connection)) connection.exec(indexTable);
    return true;
  });
}

/** Asks once for what never changes while a connection is open. */
function once<T>(known: WeakMap<Connection, T>, connection: Connection, ask: () => T): T {
  let answer = known.get(connection);
  if (answer === undefined) known.set(connection, (answer = ask()));
  return answer;
}

const withIndex = new WeakMap<Connection, true>();
const walConnections = new WeakMap<Connection, boolean>();
const packingConnections = new WeakMap<Connection, boolean>();

export type SyncLevel = "full" | "normal";

/**
 * Writes what a power cut may undo: who owns a run, and which requests are done. After a power cut no owner is alive,
 * and a request that was done is recognized as done again. A kill undoes nothing, and the next synced record makes
 * these writes durable too.
 */
export function writeUnsynced<T>(connection: Connection, sync: SyncLevel, write: () => T): T {
  const isWal = (): boolean => connection.prepare("PRAGMA journal_mode").get()?.["journal_mode"] === "wal";
  if (sync === "normal" || !once(walConnections, connection, isWal)) return write();
  connection.exec("PRAGMA synchronous = normal");
  try {
    return write();
  } finally {
    connection.exec(`PRAGMA synchronous = ${sync}`);
  }
}

export interface DatabaseOptions {
  readonly path: string;
  readonly sync: SyncLevel;
  readonly busyTimeoutMs: number;
  readonly sqlite: OpenSqlite;
}

/** A connection to an existing database of ours. One that is opened for reading may be a copy: writes to it are lost. */
export function openDatabase(options: DatabaseOptions, size: number, doing: "reading" | "writing"): Connection {
  if (size === 0) throw corruptDatabase(options.path, "the file is empty (0 bytes)");
  const open = (sqlite: () => Connection): Connection => {
    const connection = sqlite();
    try {
      connection.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
      checkIdentity(connection, options.path);
      // fullfsync is what makes a sync reach the medium on macOS; elsewhere it changes nothing.
      connection.exec(
        `PRAGMA synchronous = ${options.sync}; PRAGMA fullfsync = ON; PRAGMA journal_size_limit = 4194304`,
      );
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  return withFailures({ path: options.path, doing }, () => {
    try {
      return open(() => options.sqlite(options.path, { create: false }));
    } catch (error) {
      if (doing === "writing" || !isOpenFailure(error) || !isReadOnlyFolder(options.path)) throw error;
      return open(() => openReadOnly(options.path, options.sqlite));
    }
  });
}

/** Creates an empty database, unless another process was faster. */
export function createDatabase(options: DatabaseOptions): void {
  const folder = dirname(options.path);
  const temporary = temporaryName(folder);
  try {
    mkdirSync(folder, { recursive: true });
    withFailures({ path: options.path, doing: "writing" }, () => {
      try {
        makeDatabase(temporary, options.sqlite, journalModeIn(folder));
      } catch (error) {
        // On some file systems SQLite can switch to a write-ahead log, but not use it.
        if (!isUncertain(error) && !isOpenFailure(error)) throw error;
        discardAll(temporary);
        makeDatabase(temporary, options.sqlite, "rollback");
      }
    });
    setMode(temporary, 0o600);
    syncFile(temporary);
    publishFile(temporary, options.path);
  } catch (error) {
    const code = systemCode(error);
    if (AtomicError.is(error) || code === undefined) throw error;
    throw new AtomicError(
      "JOURNAL_WRITE_FAILED",
      `The database ${options.path} can't be created (${code}). Check that its folder is writable and has space.`,
      { cause: error, details: { path: options.path } },
    );
  } finally {
    discardAll(temporary);
  }
}

function makeDatabase(path: string, sqlite: OpenSqlite, mode: JournalMode): void {
  const connection = sqlite(path, { create: true });
  try {
    // No process sees the file before it is complete and synced, so one sync at the end replaces a dozen.
    connection.exec("PRAGMA synchronous = OFF");
    setJournalMode(connection, mode);
    connection.exec(`BEGIN;${schema}COMMIT`);
  } finally {
    connection.close();
  }
}

function discardAll(path: string): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) discard(path + suffix);
}

/** Empties the -wal file, as far as other connections allow. */
export function closeDatabase(connection: Connection): void {
  try {
    connection.exec("PRAGMA busy_timeout = 0");
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (thrown) {
    // A full or read-only disk: the records stay in the -wal file, and the next open finds them there.
    if (!isSqliteError(thrown)) throw thrown;
  }
  connection.close();
}

/** Refuses a wrong file before it is written to, and says what it is instead. */
function checkIdentity(connection: Connection, path: string): void {
  const application = pragma(connection, "application_id");
  const format = pragma(connection, "user_version");
  if (application !== applicationId) {
    throw corruptDatabase(path, "it is a database of another program (or of none), not a journal");
  }
  if (format > databaseFormat) throw newerDatabase(path, format);
  if (format < 1) throw corruptDatabase(path, `its format number is ${format}`);
}

function newerDatabase(path: string, format: number): AtomicError {
  return new AtomicError(
    "JOURNAL_NEWER",
    `The database ${path} was written by a later version of this program: its format is ${format}, and this version ` +
      `reads up to ${databaseFormat}. Update the program; nothing was changed.`,
    { details: { path, format, supported: databaseFormat } },
  );
}

/** An earlier version of the program must still be able to read the databases it created. */
export function takesPackedEvents(connection: Connection): boolean {
  return once(packingConnections, connection, () => pragma(connection, "user_version") >= 2);
}

function pragma(connection: Connection, name: "application_id" | "user_version"): number {
  return Number(connection.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

/**
 * Distinguishes a file from other files, and from its earlier contents. Not Node's type: the declarations must compile
 * without it.
 */
export interface FileFacts {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** The file, or undefined if it does not exist. */
export function findDatabase(path: string): FileFacts | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    if (isOutOfFilesCode(systemCode(error))) throw outOfFiles(path, error);
    throw new AtomicError(
      "JOURNAL_UNREADABLE",
      `The database ${path} can't be read (${systemCode(error) ?? "unknown"}).`,
      {
        cause: error,
        details: { path },
      },
    );
  }
}
