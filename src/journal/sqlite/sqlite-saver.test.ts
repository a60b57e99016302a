import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { systemClock } from "../../lib/clock.ts";
import type { JournalEvent } from "../port.ts";
import { SqliteSaver } from "./sqlite-saver.ts";

const hasProc = existsSync("/proc/self/fd");

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "atomic-sqlite-"));
  path = join(dir, "deep", "runs.db");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A connection that was used stays open for a moment. */
async function untilClosed(): Promise<void> {
  while (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0) await Bun.sleep(10);
}

const event = (n: number, size = 0): JournalEvent => ({ type: "test.noted", n, text: "x".repeat(size) });

test("SqliteSaver creates its folder and file, for this user only, and leaves nothing beside it", async () => {
  await (await new SqliteSaver({ path }).open("run", { mode: "create" })).close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await untilClosed();
  for (const suffix of ["-wal", "-shm"]) expect(existsSync(path + suffix)).toBe(false);
  const files = await Array.fromAsync(new Bun.Glob("**/*").scan({ cwd: dir, dot: true }));
  expect(files).toEqual(["deep/runs.db"]);
});

test("SqliteSaver points to MemorySaver instead of creating a file called :memory:", () => {
  expect(() => new SqliteSaver({ path: ":memory:" })).toThrow("MemorySaver");
});

test("SqliteSaver reads without creating a file", async () => {
  expect(await new SqliteSaver({ path }).list()).toEqual({ runs: [], next: undefined });
  await expect(new SqliteSaver({ path }).open("run", { mode: "resume" })).rejects.toMatchObject({
    code: "RUN_NOT_FOUND",
  });
  expect(existsSync(path)).toBe(false);
});

test("SqliteSaver notifies an owner that is replaced in the middle of an append", async () => {
  let takeOver = (): void => {};
  const clock = { ...systemClock, now: () => (takeOver(), Date.now()) };
  const old = await new SqliteSaver({ path, clock }).open("run", { mode: "create" });
  await old.append([event(1)]);
  // The clock is read after the handle was checked and before the row is inserted.
  takeOver = () => {
    takeOver = () => {};
    const database = new Database(path);
    database.run("UPDATE runs SET owner_token = 'another'");
    database.close();
  };

  expect(() => old.append([event(2)])).toThrow(expect.objectContaining({ code: "OWNER_LOST" }));

  expect(await Array.fromAsync(new SqliteSaver({ path }).read("run"))).toHaveLength(1);
  await old.close();
  const database = new Database(path);
  expect(database.query("SELECT owner_token FROM runs").get()).toEqual({ owner_token: "another" });
  database.close();
});

test("SqliteSaver keeps the newest two snapshots of each run, and uses the older when the newer is damaged", async () => {
  for (const run of ["a", "b"]) {
    const handle = await new SqliteSaver({ path }).open(run, { mode: "create" });
    await handle.append([1, 2, 3, 4].map((n) => event(n)));
    for (const seq of [1, 2, 3]) await handle.saveSnapshot({ seq, body: `${run}${seq}` });
    await handle.close();
  }
  const database = new Database(path);
  expect(database.query("SELECT run, seq FROM snapshots ORDER BY id").values()).toEqual([
    [1, 2],
    [1, 3],
    [2, 2],
    [2, 3],
  ]);
  database.run("UPDATE snapshots SET body = '\"changed\"' WHERE run = 1 AND seq = 3");
  database.close();

  const handle = await new SqliteSaver({ path }).open("a", { mode: "resume" });
  expect(handle.snapshot).toEqual({ seq: 2, body: "a2" });
  expect((await Array.fromAsync(handle.history)).map(({ n }) => n)).toEqual([3, 4]);
  await handle.close();
});

test("SqliteSaver keeps its -wal file small while it writes, and removes it soon after it closes", async () => {
  const handle = await new SqliteSaver({ path, sync: "normal" }).open("run", { mode: "create" });
  for (let n = 1; n <= 6000; n++) void handle.append([event(n, 1000)]);
  expect(statSync(`${path}-wal`).size).toBeLessThan(5_000_000);
  await handle.close();
  await untilClosed();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(statSync(path).size).toBeLessThan(2 * 6000 * 1000);
});

test("SqliteSaver stops when its file is deleted or replaced under it", async () => {
  let now = 1_000_000;
  const clock = { ...systemClock, now: () => (now += 1000) };
  const handle = await new SqliteSaver({ path, clock }).open("run", { mode: "create" });
  await handle.append([event(1)]);
  renameSync(path, `${path}.moved`);
  expect(() => handle.append([event(2)])).toThrow(expect.objectContaining({ code: "JOURNAL_WRITE_FAILED" }));
  await handle.close();
});

test("SqliteSaver reports a locked file when another writer keeps its lock", async () => {
  const handle = await new SqliteSaver({ path, busyTimeoutMs: 20 }).open("run", { mode: "create" });
  await handle.append([event(1)]);
  const other = new Database(path);
  other.run("BEGIN IMMEDIATE");
  expect(() => handle.append([event(2)])).toThrow(
    expect.objectContaining({ code: "JOURNAL_WRITE_FAILED", retryable: true }),
  );
  other.run("ROLLBACK");
  other.close();
  await handle.append([event(2)]);
  await handle.close();
  expect((await Array.fromAsync(new SqliteSaver({ path }).read("run"))).map(({ n }) => n)).toEqual([1, 2]);
});

test("SqliteSaver empties its -wal file soon after it closes, even if others have the database open", async () => {
  const handle = await new SqliteSaver({ path }).open("run", { mode: "create" });
  await handle.append([event(1, 10_000)]);
  const other = new Database(path);
  expect(other.query("SELECT count(*) AS n FROM appends").get()).toEqual({ n: 1 });
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(10_000);
  await handle.close();
  await untilClosed();
  expect(statSync(`${path}-wal`).size).toBe(0);
  other.close();
});

test("SqliteSaver releases a run in this process even if it can't record that", async () => {
  const saver = new SqliteSaver({ path, busyTimeoutMs: 20 });
  const handle = await saver.open("run", { mode: "create" });
  const other = new Database(path);
  other.run("BEGIN IMMEDIATE");
  await handle.close();
  other.run("ROLLBACK");
  other.close();
  expect((await saver.info("run")).owner).toBe("dead");
  await (await saver.open("run", { mode: "resume" })).close();
});

test("SqliteSaver leaves nothing of a removed run in the file", async () => {
  const secret = "only-in-the-removed-run";
  for (const run of ["kept", "removed"]) {
    const handle = await new SqliteSaver({ path }).open(run, { mode: "create" });
    await handle.append([{ type: "test.noted", text: run === "removed" ? secret.repeat(300) : "kept" }]);
    await handle.saveSnapshot({ seq: 1, body: run === "removed" ? secret : "kept" });
    await handle.close();
  }
  await untilClosed();
  expect(readFileSync(path).includes(secret)).toBe(true);
  await new SqliteSaver({ path }).remove("removed");
  expect(readFileSync(path).includes(secret)).toBe(false);
  expect((await new SqliteSaver({ path }).list()).runs.map(({ run }) => run)).toEqual(["kept"]);
});

test("SqliteSaver at level normal and at level full read each other's runs", async () => {
  await (await new SqliteSaver({ path, sync: "normal" }).open("run", { mode: "create" })).append([event(1)]);
  const handle = await new SqliteSaver({ path, sync: "full" }).open("run", { mode: "resume", takeOver: true });
  expect((await Array.fromAsync(handle.history)).map(({ n }) => n)).toEqual([1]);
  await handle.close();
});

test.if(hasProc)("SqliteSaver uses a connection again, and never for a file that was replaced or changed", async () => {
  const saver = new SqliteSaver({ path });
  const openFiles = (): number => readdirSync("/proc/self/fd").filter((fd) => linkOf(fd)?.startsWith(path)).length;
  await (await saver.open("first", { mode: "create" })).close();
  await saver.info("first");
  const opened = openFiles();
  expect(opened).toBeGreaterThan(0);
  for (let i = 0; i < 10; i++) await saver.info("first");
  expect(openFiles()).toBe(opened);

  const database = new Database(path);
  database.run("PRAGMA user_version = 99");
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  await expect(saver.info("first")).rejects.toMatchObject({ code: "JOURNAL_NEWER" });

  rmSync(path);
  await (await saver.open("second", { mode: "create" })).close();
  expect((await saver.list()).runs.map(({ run }) => run)).toEqual(["second"]);
});

test.if(hasProc)("SqliteSaver keeps few files open, however many it was used for", async () => {
  for (let i = 0; i < 10; i++) {
    const saver = new SqliteSaver({ path: join(dir, `runs-${i}.db`) });
    await (await saver.open("run", { mode: "create" })).close();
  }
  // Only its own: the process may still hold databases of a test file that ran before.
  const links = readdirSync("/proc/self/fd").map((fd) => linkOf(fd) ?? "");
  const databases = links.filter((link) => link.startsWith(dir) && link.endsWith(".db"));
  expect(databases.length).toBeLessThanOrEqual(4);
});

test("SqliteSaver leaves an empty -wal file when the process ends at once", () => {
  const program = `
    const { SqliteSaver } = await import(${JSON.stringify(join(import.meta.dir, "sqlite-saver.ts"))});
    const handle = await new SqliteSaver({ path: ${JSON.stringify(path)} }).open("run", { mode: "create" });
    await handle.append([{ type: "test.noted" }]);
    await handle.close();
    process.exit(0);`;
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "-e", program], { env: { PATH: "/usr/bin:/bin" } });
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  expect(existsSync(`${path}-wal`)).toBe(false);
});

function linkOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch (error) {
    // The folder of open files was itself open while it was read.
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
