// A recorded step in SQLite against a bare insert of the same bytes, at both sync levels. Each writes to its own
// database in one folder, and they take turns inside one process: a hundred steps, a hundred inserts.

import { statSync } from "node:fs";
import { join } from "node:path";
import { closeIdleConnections } from "../../src/journal/sqlite/connections.ts";
import { loadSqlite } from "../../src/journal/sqlite/sqlite-library.ts";
import type { JournalEvent } from "../../src/public/graph.ts";
import { SqliteSaver } from "../../src/public/sqlite.ts";
import { runRecordedLoop, updateOf } from "../engines/recorded-loop.ts";
import type { Figures, MeasureContext, Measured, Row, Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration, times } from "../harness/text.ts";

type Sync = "normal" | "full";

const small = 10_000;
const large = 1_000_000;
const turn = 100;

/** A table with nothing but a key and a text: the least that a durable record can cost. */
async function openBare(path: string, sync: Sync): Promise<{ insert(body: string): void; close(): void }> {
  const connection = (await loadSqlite())(path, { create: true });
  connection.exec("PRAGMA journal_mode = WAL");
  connection.exec(`PRAGMA synchronous = ${sync}; PRAGMA journal_size_limit = 4194304`);
  connection.exec("CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT");
  const statement = connection.prepare("INSERT INTO records (body) VALUES (?1)");
  return { insert: (body) => void statement.run(body), close: () => connection.close() };
}

/** What the engine stores for one step, as text. */
async function recordOfOneStep(folder: string): Promise<string> {
  const store = new SqliteSaver({ path: join(folder, "pilot.sqlite"), sync: "normal" });
  await runRecordedLoop({ store, run: "pilot", stateBytes: small, pauseAt: 1_000 });
  const events: JournalEvent[] = [];
  for await (const { seq: _, ...event } of store.read("pilot")) if (event["key"] !== undefined) events.push(event);
  return JSON.stringify(events.slice(-3, -1));
}

interface Clocks {
  readonly wall: number;
  readonly cpu: number;
}

function readClocks(): Clocks {
  const { user, system } = process.cpuUsage();
  return { wall: performance.now() * 1e6, cpu: (user + system) * 1e3 };
}

/** Medians per step, for alternating turns of the engine and of bare inserts. */
async function compare(context: MeasureContext, sync: Sync, stateBytes: number, record: string): Promise<Figures> {
  const steps = context.scale === "full" ? 4_000 : 2_000;
  const name = `${sync}-${stateBytes}`;
  const bare = await openBare(join(context.folder, `bare-${name}.sqlite`), sync);
  const engine: Clocks[] = [];
  const inserts: Clocks[] = [];
  let since = readClocks();
  const lap = (into: Clocks[]): void => {
    const now = readClocks();
    into.push({ wall: (now.wall - since.wall) / turn, cpu: (now.cpu - since.cpu) / turn });
    since = readClocks();
  };
  await runRecordedLoop({
    store: new SqliteSaver({ path: join(context.folder, `engine-${name}.sqlite`), sync }),
    run: "durable",
    stateBytes,
    pauseAt: steps,
    onStep: (count) => {
      if (count % turn !== 0) return;
      lap(engine);
      for (let i = 0; i < turn; i++) bare.insert(record);
      lap(inserts);
    },
  });
  bare.close();
  return { ...means("engine", engine), ...means("insert", inserts) };
}

/** Means, so that snapshots and checkpoints count with what they cost; the first turns warm up and are left out. */
function means(name: string, laps: readonly Clocks[]): Figures {
  const counted = laps.slice(5);
  const mean = (clock: keyof Clocks): number => counted.reduce((sum, lap) => sum + lap[clock], 0) / counted.length;
  return { [`${name}Wall`]: mean("wall"), [`${name}Cpu`]: mean("cpu") };
}

function durable(sync: Sync): Subject {
  return {
    measure: async (context) => {
      const record = await recordOfOneStep(context.folder);
      const onSmall = await compare(context, sync, small, record);
      const onLarge = await compare(context, sync, large, record);
      // Each divided by the inserts it alternated with: the speed of the disk may change between the two.
      const largeBySmall = byInsert(onLarge) / byInsert(onSmall);
      return { ...prefixed("small", onSmall), ...prefixed("large", onLarge), largeBySmall };
    },
  };
}

function byInsert(figures: Figures): number {
  return (figures["engineWall"] ?? Number.NaN) / (figures["insertWall"] ?? Number.NaN);
}

function prefixed(prefix: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}.${name}`, value]));
}

/** Bytes on disk after a checkpoint, against the bytes of the updates. */
const disk: Subject = {
  isSlow: true,
  measure: async ({ folder }) => {
    const steps = 10_000;
    let written = 0;
    for (let count = 1; count <= steps; count++) written += JSON.stringify(updateOf(count)).length;
    const sizes: Record<string, number> = {};
    for (const [name, stateBytes] of [
      ["small", small],
      ["large", large],
    ] as const) {
      const path = join(folder, `disk-${name}.sqlite`);
      const store = new SqliteSaver({ path, sync: "normal" });
      await runRecordedLoop({ store, run: "disk", stateBytes, pauseAt: steps });
      // Ends with a checkpoint that empties the -wal file.
      closeIdleConnections();
      const wal = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      sizes[name] = (statSync(path).size + wal) / written;
    }
    return sizes;
  },
};

function rowsOf(sync: Sync, measured: Measured): Row[] {
  const level = sync.toUpperCase();
  return [
    atMost(
      `Durable step, 1 kB on 10 kB, ${level}: wall, against a bare insert`,
      measured.ratioWithin(sync, "small.engineWall", "small.insertWall"),
      2,
    ),
    atMost(
      `Durable step, 1 kB on 1 MB, ${level}: wall, against a bare insert`,
      measured.ratioWithin(sync, "large.engineWall", "large.insertWall"),
      2,
    ),
    atMost(`Durable step, ${level}: wall, 1 MB against 10 kB`, measured.median(sync, "largeBySmall"), 1.3),
    {
      work: `Durable step, ${level}: wall (CPU) on 10 kB, on 1 MB, and of the bare insert`,
      target: "",
      measured: ["small.engine", "large.engine", "small.insert"]
        .map(
          (name) =>
            `${duration(measured.median(sync, `${name}Wall`))} (${duration(measured.median(sync, `${name}Cpu`))})`,
        )
        .join(", "),
      isMet: undefined,
    },
  ];
}

export default defineBench({
  title: "Durable step in SQLite, 1 kB update",
  part: "engine",
  rounds: { full: 7, quick: 2 },
  subjects: { normal: durable("normal"), full: durable("full"), disk },
  rows: (measured) => [
    ...rowsOf("normal", measured),
    ...rowsOf("full", measured),
    atMost(
      "Bytes on disk after 10,000 steps on 10 kB, against the updates",
      measured.median("disk", "small"),
      2,
      times,
    ),
    atMost("Bytes on disk after 10,000 steps on 1 MB, against the updates", measured.median("disk", "large"), 2, times),
  ],
});
