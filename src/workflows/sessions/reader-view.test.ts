import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { JournalEvent, StoredEvent } from "../../journal/port.ts";
import type { StoreShelf } from "../../journal/store-shelf.ts";
import { MemorySaver } from "../../journal/memory.ts";
import { JournalRunStore } from "./journal-run-store.ts";
import { readView } from "./session-view.ts";
import { readRun } from "./view-snapshot.ts";

const id = "11111111-2222-4333-8444-555555555555";

const emptyShelf: StoreShelf = {
  addPiece: async () => undefined,
  keptUpTo: async () => 0,
  trimPieces: async () => undefined,
  pieces: async () => [],
  hasOtherSources: async () => false,
  listRuns: async () => ({ runs: [], total: 0 }),
  keepSummary: async () => undefined,
};

/** Counts what is read of the journals that it shares with other homes. */
class Home extends JournalRunStore {
  count = 0;

  constructor(journal: MemorySaver, dir = mkdtempSync(join(tmpdir(), "home-"))) {
    super({ journal, dir, shelf: emptyShelf });
    const { read } = this;
    this.read = (run, options) => this.#counted(read(run, options));
  }

  async *#counted(events: AsyncIterable<StoredEvent>): AsyncGenerator<StoredEvent> {
    for await (const event of events) {
      this.count++;
      yield event;
    }
  }

  /** How many events a look reads. */
  async look(): Promise<number> {
    this.count = 0;
    await readRun(this, id);
    return this.count;
  }
}

const visits = (from: number, count: number): JournalEvent[] =>
  Array.from({ length: count }, (_, i) => ({
    type: "node.finished",
    key: `work#${from + i}`,
    node: "work",
    visit: from + i,
    attempt: 1,
  }));

async function twoHomes(): Promise<{ journal: MemorySaver; first: Home; second: Home }> {
  const journal = new MemorySaver();
  const [first, second] = [new Home(journal), new Home(journal)];
  const handle = await first.open(id, { mode: "create" });
  await handle.append([{ type: "run.started", resumed: false, workflow: "w", prompt: "p" }]);
  await handle.append(visits(1, 999));
  await handle.close();
  return { journal, first, second };
}

test("a home that only looks at a run folds it once, and then reads what came since", async () => {
  const { first, second } = await twoHomes();
  expect(await second.look()).toBe(1000);
  expect(await second.look()).toBe(1);
  const handle = await first.open(id, { mode: "resume" });
  await handle.append(visits(1000, 5));
  await handle.close();
  expect(await second.look()).toBe(6);
  const whole = await readView(id, second.read(id));
  expect(JSON.stringify((await readRun(second, id)).view)).toBe(JSON.stringify(whole));
});

test("what a home keeps of runs that it only looks at is private, and is no folder of a run", async () => {
  const { second } = await twoHomes();
  rmSync(second.dir, { recursive: true });
  await second.look();
  const file = second.folder(id).readerView ?? "";
  expect(statSync(file).mode & 0o777).toBe(0o600);
  for (const folder of [dirname(file), second.dir]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(second.localRuns()).toEqual([]);
});

test("a home that resumes a run it looked at uses what it kept, and keeps the next view with the run", async () => {
  const { second } = await twoHomes();
  await second.look();
  const handle = await second.open(id, { mode: "resume" });
  expect(await second.look()).toBe(1);
  await handle.append(visits(1000, 200));
  await handle.close();
  expect(await second.look()).toBe(201);
  const { view, readerView = "" } = second.folder(id);
  expect([existsSync(view), existsSync(readerView)]).toEqual([true, false]);
  expect(await second.look()).toBe(1);
});

test("what a home keeps of a run goes when the run is removed, by this home or another", async () => {
  for (const remover of ["first", "second"] as const) {
    const homes = await twoHomes();
    await homes.second.look();
    await homes[remover].remove(id);
    expect(await homes.second.ids()).toEqual([]);
    expect(readdirSync(dirname(homes.second.folder(id).readerView ?? ""))).toEqual([]);
  }
});

test("a removed run's folder does not come back where no other machine uses the store", async () => {
  const journal = new MemorySaver();
  const store = new JournalRunStore({ journal, dir: mkdtempSync(join(tmpdir(), "home-")) });
  const handle = await store.open(id, { mode: "create" });
  await handle.append(visits(1, 1000));
  await handle.close();
  rmSync(store.folder(id).dir, { recursive: true });
  await readRun(store, id);
  expect(readdirSync(store.dir)).not.toContain(id);
  expect(store.folder(id).readerView).toBeUndefined();
});
