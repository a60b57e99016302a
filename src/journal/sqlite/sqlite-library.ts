// The two SQLite libraries behind one small interface: bun:sqlite under Bun, node:sqlite under Node. Neither is
// imported before a store is used, so that a program that only mentions SqliteSaver starts on any runtime.

import type { DatabaseSync } from "node:sqlite";
import { AtomicError, messageOf } from "../../lib/errors.ts";

export type SqliteValue = string | number | null;

export interface Statement {
  run(...values: SqliteValue[]): { readonly changes: number | bigint };
  get(...values: SqliteValue[]): Readonly<Record<string, unknown>> | null | undefined;
  all(...values: SqliteValue[]): readonly Readonly<Record<string, unknown>>[];
}

export interface Connection {
  exec(sql: string): void;
  /** Cached: the same text gives the same statement. */
  prepare(sql: string): Statement;
  /** Finalizes its statements too: an open one would keep the file locked until it is garbage collected. */
  close(): void;
}

/** `create`: creates a missing file. `immutable`: opened for reading, and the file is known not to change meanwhile. */
export type OpenMode = { readonly create: boolean } | { readonly immutable: true };

export type OpenSqlite = (path: string, mode: OpenMode) => Connection;

let loaded: Promise<OpenSqlite> | undefined;

export function loadSqlite(): Promise<OpenSqlite> {
  loaded ??= process.versions["bun"] === undefined ? loadNode() : loadBun();
  return loaded;
}

async function loadBun(): Promise<OpenSqlite> {
  // Not a literal: a bundler for Node would try to resolve it, and fail.
  const { constants, Database } = (await import(["bun", "sqlite"].join(":"))) as typeof import("bun:sqlite");
  return (path, mode) => {
    const database =
      "immutable" in mode
        ? new Database(immutableUrl(path).href, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI)
        : new Database(path, { readwrite: true, create: mode.create });
    const statements = new Statements((sql) => database.prepare<Record<string, unknown>, SqliteValue[]>(sql));
    return {
      exec: (sql) => void database.run(sql),
      prepare: (sql) => statements.get(sql),
      close() {
        for (const statement of statements.all()) statement.finalize();
        database.close(true);
      },
    };
  };
}

class Statements<S> {
  readonly #make: (sql: string) => S;
  readonly #made = new Map<string, S>();

  constructor(make: (sql: string) => S) {
    this.#make = make;
  }

  get(sql: string): S {
    let statement = this.#made.get(sql);
    if (statement === undefined) {
      statement = this.#make(sql);
      this.#made.set(sql, statement);
    }
    return statement;
  }

  all(): Iterable<S> {
    return this.#made.values();
  }
}

async function loadNode(): Promise<OpenSqlite> {
  const Database = await importNodeSqlite();
  // It always creates a missing file; callers check for the file first.
  return (path, mode) => {
    const database = "immutable" in mode ? new Database(immutableUrl(path), { readOnly: true }) : new Database(path);
    const statements = new Statements((sql) => database.prepare(sql));
    return {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => statements.get(sql),
      close: () => database.close(),
    };
  };
}

/** Built by hand: loading `node:url` takes longer than reading a small run. */
function immutableUrl(path: string): URL {
  const slashed = process.platform === "win32" ? `/${path.replaceAll("\\", "/")}` : path;
  return new URL(`file://${encodeURI(slashed).replace(/[?#]/g, encodeURIComponent)}?immutable=1`);
}

async function importNodeSqlite(): Promise<typeof DatabaseSync> {
  try {
    return (await import("node:sqlite")).DatabaseSync;
  } catch (error) {
    throw new AtomicError(
      "SQLITE_UNAVAILABLE",
      `Runs can't be kept in SQLite on Node ${process.versions.node}: it has no usable node:sqlite ` +
        `(${messageOf(error)}). Use Node 22.13 or later (22.5 with --experimental-sqlite), or Bun, or keep runs in ` +
        `files with FileSaver, which needs neither.`,
      { cause: error, details: { node: process.versions.node } },
    );
  }
}
