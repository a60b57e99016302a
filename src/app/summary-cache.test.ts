// Lists of runs that are kept beside their journals, with real session folders.

import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeIdleConnections } from "../journal/sqlite/connections.ts";
import { systemClock } from "../lib/clock.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";
import { createRunReader } from "./runs-read.ts";

const root = mkdtempSync(join(tmpdir(), "atomic-cache-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A journal counts as at rest a second after its last write: this clock is always later than that. */
const later = { ...systemClock, now: () => Date.now() + 60_000 };

async function makeStore(name: string): Promise<{ store: SessionStore; id: string; summary: string }> {
  const store = new SessionStore({ dir: join(root, name) });
  const id = crypto.randomUUID();
  const handle = await store.open(id, { mode: "create" });
  await handle.append([
    { type: "run.started", workflow: "flow", resumed: false, prompt: "first", cwd: root, options: {} },
  ]);
  await handle.append([{ type: "run.paused", reason: "requested" }]);
  await handle.close();
  closeIdleConnections();
  return { store, id, summary: store.folder(id).summary };
}

function change(file: string, from: string, to: string): void {
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
}

test("a list shows what an earlier one kept, and no longer when the journal has changed", async () => {
  const { store, id, summary } = await makeStore("kept");
  const { list } = createRunReader(store, later);
  const first = await list();
  closeIdleConnections();
  // Would not be seen if the journal were read again.
  change(summary, '"first"', '"kept"');
  expect((await list()).runs).toEqual([{ ...first.runs[0]!, prompt: "kept" }]);

  const handle = await store.open(id, { mode: "resume" });
  await handle.append([{ type: "run.finished", outcome: "completed" }]);
  await handle.close();
  closeIdleConnections();

  expect((await list()).runs).toMatchObject([{ id, prompt: "first", status: "completed" }]);
});

test("a list keeps a run whose journal has a log beside it, until something is written to the log", async () => {
  const { store, id, summary } = await makeStore("log");
  const { journal } = store.folder(id);
  // As a process that recorded the run and is too busy to close its connection.
  using other = new Database(journal);
  other.run("CREATE TABLE held (value INTEGER)");
  expect(statSync(`${journal}-wal`).size).toBeGreaterThan(0);
  const { list } = createRunReader(store, later);
  const first = await list();
  change(summary, '"first"', '"kept"');
  expect((await list()).runs).toEqual([{ ...first.runs[0]!, prompt: "kept" }]);

  other.run("INSERT INTO held VALUES (1)");
  expect((await list()).runs).toMatchObject([{ id, prompt: "first" }]);
});

test("nothing is kept of a journal whose log was written a moment ago", async () => {
  const { store, id, summary } = await makeStore("fresh-log");
  const { journal } = store.folder(id);
  using other = new Database(journal);
  other.run("CREATE TABLE held (value INTEGER)");
  utimesSync(journal, 1, 1);
  await createRunReader(store, systemClock).list();

  expect(existsSync(summary)).toBe(false);
});

test("a list keeps a run whose process was killed as interrupted, until it is resumed", async () => {
  const store = new SessionStore({ dir: join(root, "killed") });
  const id = crypto.randomUUID();
  const program = `
    const { SessionStore } = await import(${JSON.stringify(join(import.meta.dir, "../workflows/sessions/session-store.ts"))});
    const handle = await new SessionStore({ dir: process.argv[1] }).open(process.argv[2], { mode: "create" });
    await handle.append([
      { type: "run.started", workflow: "flow", resumed: false, prompt: "first", cwd: "/", options: {} },
    ]);
    process.kill(process.pid, "SIGKILL");`;
  await Bun.spawn([process.execPath, "-e", program, store.dir, id], { stdio: ["ignore", "inherit", "inherit"] }).exited;
  const { list } = createRunReader(store, later);
  expect((await list()).runs).toMatchObject([{ id, status: "interrupted" }]);
  // The first list may have emptied the log of the killed process.
  closeIdleConnections();
  await list();
  change(store.folder(id).summary, '"first"', '"kept"');
  expect((await list()).runs).toMatchObject([{ prompt: "kept", status: "interrupted" }]);

  const handle = await store.open(id, { mode: "resume" });
  expect((await list()).runs).toMatchObject([{ prompt: "first", status: "running" }]);
  await handle.close();
});

test("nothing is kept of a run that a process owns", async () => {
  const { store, id, summary } = await makeStore("owned");
  const handle = await store.open(id, { mode: "resume" });
  const { list } = createRunReader(store, later);
  await list();

  expect(existsSync(summary)).toBe(false);
  await handle.close();
});

test("nothing is kept of a journal that was written a moment ago", async () => {
  const { store, summary } = await makeStore("fresh");
  await createRunReader(store, { ...systemClock, now: () => Date.now() }).list();

  expect(existsSync(summary)).toBe(false);
});

test.each(["", "{", "null", '{"version":"0.0.1"}'])(
  "%p in the place of what was kept counts as nothing",
  async (text) => {
    const { store, summary } = await makeStore(crypto.randomUUID());
    const { list } = createRunReader(store, later);
    const first = await list();
    writeFileSync(summary, text);

    expect(await list()).toEqual(first);
  },
);

test("a journal that was replaced by another one is read", async () => {
  const { store, id, summary } = await makeStore("replaced");
  const { list } = createRunReader(store, later);
  await list();
  change(summary, '"first"', '"kept"');
  utimesSync(store.folder(id).journal, new Date(), new Date());

  expect((await list()).runs).toMatchObject([{ prompt: "first" }]);
});

test("a list that shows only the newest keeps the places of the others, and shows them when asked to", async () => {
  const { store } = await makeStore("many");
  for (let i = 0; i < 2; i++) {
    const handle = await store.open(crypto.randomUUID(), { mode: "create" });
    await handle.append([
      { type: "run.started", workflow: "flow", resumed: false, prompt: `${i}`, cwd: root, options: {} },
    ]);
    await handle.close();
  }
  closeIdleConnections();
  const { list } = createRunReader(store, later);
  const newest = await list(1);
  expect(newest).toMatchObject({ left: 2, runs: [{ workflow: "flow" }] });
  expect(await list(1)).toEqual(newest);

  const all = await list();
  expect(all.runs.map(({ prompt }) => prompt).toSorted()).toEqual(["0", "1", "first"]);
  expect(all.runs[0]).toEqual(newest.runs[0]);
});
