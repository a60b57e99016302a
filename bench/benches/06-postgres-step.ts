// A recorded step in PostgreSQL against one in SQLite that is synced in full, both on one disk and in one process: a
// hundred steps here, a hundred there. The server is the pinned one of tests/postgres with its own defaults, so every
// commit waits until it is on disk, as SQLite's do. Beside them the least that PostgreSQL takes: a row of the same size in
// a bare table, committed by one prepared statement through the same client.

import { chmodSync } from "node:fs";
import { join } from "node:path";
import { SqliteSaver } from "../../src/public/sqlite.ts";
import { runRecordedLoop, updateOf } from "../engines/recorded-loop.ts";
import type { Figures, MeasureContext, Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration, times } from "../harness/text.ts";
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
    const turns = createTurns(["sqlite", "postgres", "bare"], { steps: 100, total });
    const loop = { run: "steps", stateBytes: 10_000, pauseAt: total + 1 };
    await Promise.all([
      runRecordedLoop({ ...loop, store: sqlite, onStep: turns.at("sqlite") }),
      runRecordedLoop({ ...loop, store: postgres, onStep: turns.at("postgres") }),
      insertRows(server.url, total, turns.at("bare")),
    ]);
    await postgres.close();
    return {
      sqliteWall: turns.median("sqlite"),
      postgresWall: turns.median("postgres"),
      bareWall: turns.median("bare"),
    };
  } finally {
    await server.dispose();
  }
}

async function insertRows(
  url: string,
  total: number,
  onStep: (step: number) => Promise<void> | undefined,
): Promise<void> {
  const sql = new Bun.SQL({ url, max: 1 });
  await sql.unsafe("CREATE TABLE bare (run bigint, seq bigint, body text, PRIMARY KEY (run, seq))");
  const body = JSON.stringify(updateOf(1));
  for (let step = 1; step <= total + 1; step++) {
    await onStep(step);
    const values = ["1", String(step), body];
    await sql.unsafe("INSERT INTO bare VALUES ($1::bigint, $2::bigint, $3::text)", values);
  }
  await sql.close();
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
      work: "The same: wall in SQLite, in PostgreSQL, and of a bare insert in PostgreSQL",
      target: "",
      measured: ["sqliteWall", "postgresWall", "bareWall"]
        .map((name) => duration(measured.median("stores", name)))
        .join(", "),
      isMet: undefined,
    },
    {
      work: "A bare insert in PostgreSQL, one statement, prepared: wall, against a step in SQLite",
      target: "",
      measured: times(measured.ratioWithin("stores", "bareWall", "sqliteWall")),
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
