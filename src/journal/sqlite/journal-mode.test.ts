import { constants, Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { removeFolder } from "../../lib/remove-folder.ts";
import { createDatabase } from "./database.ts";
import { type Connection, loadSqlite, type OpenSqlite, type SqliteValue } from "./sqlite-library.ts";
import { SqliteSaver } from "./sqlite-saver.ts";

const folder = mkdtempSync(join(tmpdir(), "atomic-mode-"));
afterAll(() => removeFolder(folder));

function modeOf(path: string): unknown {
  const database = new Database(path);
  try {
    return database.query<{ journal_mode: string }, []>("PRAGMA journal_mode").get()?.journal_mode;
  } finally {
    database.close(true);
  }
}

const options = (name: string, sqlite: OpenSqlite) =>
  ({ path: join(folder, name), sync: "full", busyTimeoutMs: 1000, sqlite }) as const;

test("a new database has a write-ahead log", async () => {
  const made = options("log.sqlite", await loadSqlite());
  createDatabase(made);
  expect(modeOf(made.path)).toBe("wal");
});

test("a database is kept with a rollback journal where SQLite answers that it can't share memory", async () => {
  // SQLite's own locks for file systems without any: with them it refuses a log.
  const dotfile: OpenSqlite = (path) => {
    const url = `${pathToFileURL(path).href}?vfs=unix-dotfile`;
    const flags = constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE | constants.SQLITE_OPEN_URI;
    const database = new Database(url, flags);
    return {
      exec: (sql) => void database.run(sql),
      prepare: (sql) => database.prepare<Record<string, unknown>, SqliteValue[]>(sql),
      close: () => database.close(true),
    };
  };
  const made = options("answered.sqlite", dotfile);
  createDatabase(made);
  expect(modeOf(made.path)).toBe("delete");
});

test("a database is kept with a rollback journal where a log can be switched on and not be used", async () => {
  const real = await loadSqlite();
  const broken: OpenSqlite = (path, mode) => {
    const connection = real(path, mode);
    const isLog = (): boolean => connection.prepare("PRAGMA journal_mode").get()?.["journal_mode"] === "wal";
    return {
      ...connection,
      exec(sql) {
        // What SQLite says when the -shm file can't be mapped: SQLITE_IOERR_SHMMAP.
        if (sql.startsWith("BEGIN") && isLog())
          throw Object.assign(new Error("disk I/O error"), { errno: 5386, code: "SQLITE_IOERR_SHMMAP" });
        connection.exec(sql);
      },
    } satisfies Connection;
  };
  const made = options("unusable.sqlite", broken);
  createDatabase(made);
  expect(modeOf(made.path)).toBe("delete");
});

test("a run works with a rollback journal: written, followed, asked for something, and resumed", async () => {
  const path = join(folder, "rollback.sqlite");
  createDatabase(options("rollback.sqlite", await loadSqlite()));
  const database = new Database(path);
  database.run("PRAGMA journal_mode = DELETE");
  database.close(true);
  const saver = new SqliteSaver({ path });
  const handle = await saver.open("run", { mode: "create" });
  await handle.append([{ type: "a" }]);
  const stop = new AbortController();
  const follower = new SqliteSaver({ path }).follow("run", { signal: stop.signal });
  expect((await follower.next()).value).toMatchObject({ seq: 1, type: "a" });
  await handle.append([{ type: "b" }]);
  expect((await follower.next()).value).toMatchObject({ seq: 2, type: "b" });
  stop.abort();
  await follower.return(undefined);
  await saver.request("run", { type: "pause" });
  expect(handle.pending()).toMatchObject([{ type: "pause" }]);
  await handle.close();
  const next = await saver.open("run", { mode: "resume" });
  expect((await Array.fromAsync(next.history)).map(({ type }) => type)).toEqual(["a", "b"]);
  await next.close();
  expect(modeOf(path)).toBe("delete");
  expect(existsSync(`${path}-wal`)).toBe(false);
});
