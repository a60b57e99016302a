// Lists of runs that are kept beside their journals, with real session folders.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
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
