// Databases with packed records, and those of an earlier version, which have none.

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JournalEvent } from "../port.ts";
import { closeIdleConnections } from "./connections.ts";
import { SqliteSaver } from "./sqlite-saver.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-packed-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function step(visit: number): readonly JournalEvent[] {
  const visited = { key: `work#${visit}`, node: "work", visit, attempt: 1 };
  return [
    { type: "node.started", ...visited, at: visit },
    { type: "node.finished", ...visited, update: { n: visit }, at: visit },
  ];
}

async function append(saver: SqliteSaver, mode: "create" | "resume", events: readonly JournalEvent[]): Promise<void> {
  const handle = await saver.open("run", { mode });
  await handle.append(events);
  await handle.close();
  closeIdleConnections();
}

function bodies(path: string): readonly string[] {
  using database = new Database(path);
  return database
    .query<{ body: string }, []>("SELECT body FROM appends ORDER BY id")
    .all()
    .map(({ body }) => body);
}

/** As the stores print them. */
async function read(saver: SqliteSaver): Promise<readonly string[]> {
  return (await Array.fromAsync(saver.read("run"))).map((event) => JSON.stringify(event));
}

const expected = (events: readonly JournalEvent[]): readonly string[] =>
  events.map((event, i) => JSON.stringify({ ...event, seq: i + 1 }));

test("a new database stores visits in short, and gives them back as they were", async () => {
  const path = join(root, "new.sqlite");
  const saver = new SqliteSaver({ path });
  await append(saver, "create", step(1));

  expect(bodies(path)[0]).toMatch(/^\[\[0,"work#1",\d+,1\],\[1,"work#1",\d+,1,\{"n":1\}\]\]$/);
  expect(await read(saver)).toEqual(expected(step(1)));
});

test("a database of format 1 is read and written as the version that made it does", async () => {
  const path = join(root, "old.sqlite");
  const saver = new SqliteSaver({ path });
  await append(saver, "create", step(1));
  {
    using database = new Database(path);
    const body = JSON.stringify(step(1));
    database.run("UPDATE appends SET body = ?1, crc = ?2", [body, Bun.hash.crc32(body)]);
    database.run("PRAGMA user_version = 1");
  }
  await append(saver, "resume", step(2));

  expect(bodies(path)).toEqual([JSON.stringify(step(1)), JSON.stringify(step(2))]);
  expect(await read(saver)).toEqual(expected([...step(1), ...step(2)]));
});
