// Places of runs in a list, kept in one file: used as long as a journal is the one that was looked at.

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeIdleConnections } from "../journal/sqlite/connections.ts";
import { systemClock } from "../lib/clock.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";
import { createRunReader } from "./runs-read.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-places-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const file = join(root, ".places.jsonl");

async function makeRun(at: number): Promise<string> {
  const id = crypto.randomUUID();
  const handle = await new SessionStore({ dir: root }).open(id, { mode: "create" });
  await handle.append([{ type: "run.started", at, workflow: "w", cwd: "/", shape: {}, state: {} }]);
  await handle.close();
  closeIdleConnections();
  setTime(id, at);
  return id;
}

/** As if it had been appended to at this time, long before the list looks. */
function setTime(id: string, at: number): void {
  const database = new Database(join(root, id, "journal.sqlite"));
  database.run("UPDATE appends SET at = ?", [at]);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

test("a list keeps the places of runs at rest, and looks again at those that changed", async () => {
  const ids = [await makeRun(1000), await makeRun(3000), await makeRun(2000)];
  // What was written a moment ago may change unseen, so nothing is kept of it for a second.
  const later = { ...systemClock, now: () => Date.now() + 5000 };
  const newest = async (): Promise<readonly string[]> =>
    (await createRunReader(new SessionStore({ dir: root }), later).list(2)).runs.map(({ id }) => id);
  expect(await newest()).toEqual([ids[1]!, ids[2]!]);
  expect(await newest()).toEqual([ids[1]!, ids[2]!]);
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  expect(lines).toHaveLength(3);

  // What is kept is what is used.
  writeFileSync(file, lines.map((line) => line.replace(/^(\["[^"]+"),1000,/, "$1,9000,")).join("\n"));
  expect((await newest())[0]).toBe(ids[0]);
  // Until the journal changes.
  setTime(ids[0]!, 1500);
  expect(await newest()).toEqual([ids[1]!, ids[2]!]);
  // Torn and forged lines count as nothing.
  writeFileSync(file, `["${ids[2]!}",9000,1,2,3,4]\n{"a":1}\n["x"`);
  expect(await newest()).toEqual([ids[1]!, ids[2]!]);
  utimesSync(join(root, ids[2]!, "journal.sqlite"), 1, 1);
  expect(await newest()).toEqual([ids[1]!, ids[2]!]);
});
