// A recorded step in PostgreSQL against one in SQLite that is synced in full, both on one disk and in one process: a
// hundred steps here, a hundred there. The server is the pinned one of tests/postgres with its own defaults, so every
// commit waits until it is on disk, as SQLite's do.

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { SqliteSaver } from "../../src/public/sqlite.ts";
import { runRecordedLoop } from "../engines/recorded-loop.ts";
import type { Figures, MeasureContext, Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";
import { createTurns } from "../harness/turns.ts";

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  const { startPostgres } = await import("../../tests/postgres/server.ts");
  const { PostgresSaver } = await import("../../src/public/postgres.ts");
  // The server runs as another user when this process is root's.
  chmodSync(folder, 0o755);
  const server = await startPostgres(folder);
  try {
    const postgres = new PostgresSaver({ url: server.url });
    await postgres.prepare();
    const sqlite = new SqliteSaver({ path: join(folder, "steps.sqlite"), sync: "full" });
    const total = scale === "full" ? 3_000 : 1_000;
    const turns = createTurns(["sqlite", "postgres"], { steps: 100, total });
    const loop = { run: "steps", stateBytes: 10_000, pauseAt: total + 1 };
    await Promise.all([
      runRecordedLoop({ ...loop, store: sqlite, onStep: turns.at("sqlite") }),
      runRecordedLoop({ ...loop, store: postgres, onStep: turns.at("postgres") }),
    ]);
    await postgres.close();
    return { sqliteWall: turns.median("sqlite"), postgresWall: turns.median("postgres") };
  } finally {
    await server.dispose();
  }
}

function rows(measured: Measured): readonly Row[] {
  if (!measured.has("stores")) return [];
  return [
    atMost(
      "Durable step, 1 kB on 10 kB: wall, PostgreSQL on loopback against SQLite at FULL, same disk",
      measured.ratioWithin("stores", "postgresWall", "sqliteWall"),
      1.5,
    ),
    {
      work: "The same: wall in SQLite and in PostgreSQL",
      target: "",
      measured: ["sqliteWall", "postgresWall"].map((name) => duration(measured.median("stores", name))).join(", "),
      isMet: undefined,
    },
  ];
}

export default defineBench({
  title: "Durable step in PostgreSQL, 1 kB update",
  part: "engine",
  rounds: { full: 5, quick: 1 },
  needsPostgres: true,
  subjects: { stores: { onlyOn: "bun", measure } },
  rows,
});
