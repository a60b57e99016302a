// Runs in an empty project that has the packed tarball installed, once under Bun and once under plain Node.
// Prints what each subpath exports; throws when something is not as expected.

import assert from "node:assert/strict";
import { readdirSync, rmSync } from "node:fs";

for (const left of ["runs", "runs.db"]) rmSync(left, { recursive: true, force: true });

const subpaths = [
  "workflows",
  "workflows/graph",
  "workflows/sqlite",
  "workflows/postgres",
  "agents",
  "testing",
  "types",
];
const modules = {};
for (const subpath of subpaths) {
  const loaded = await import(`atomic/${subpath}`);
  modules[subpath] = loaded;
  console.log(`atomic/${subpath}: ${Object.keys(loaded).length} exports`);
}

// What two subpaths both export is one object: otherwise one would not accept a graph built with the other.
for (const [first, one] of Object.entries(modules)) {
  for (const [second, other] of Object.entries(modules)) {
    for (const name of Object.keys(one)) {
      if (name in other) assert.equal(one[name], other[name], `${name} of atomic/${first} and of atomic/${second}`);
    }
  }
}
assert.deepEqual(Object.keys(modules.types), [], "atomic/types holds types only");
await assert.rejects(import("atomic/lib/errors"), "exports must not reach inner files");

const { AtomicError } = modules["workflows/graph"];
const error = new AtomicError("NOT_JSON", "text");
assert.ok(AtomicError.is(error, "NOT_JSON"));

// A graph runs, and is recorded where its options say.
const { graph, toolNode } = modules["workflows/graph"];
const count = toolNode({ id: "count", execute: (state) => state.n + 1, outputMapper: (n) => ({ n }) });
const chain = graph()
  .start(count)
  .then({ ...count, id: "again" });
const counted = await chain.compile({ checkpointing: true, checkpointDir: "runs" }).execute({ n: 1 });
assert.equal(counted.n, 3);
assert.ok(readdirSync("runs").length > 0, "checkpointing writes nothing");

// The SQLite store imports everywhere. Where there is no SQLite, using it is refused in a way that programs can handle.
const { SqliteSaver } = modules["workflows/sqlite"];
const store = new SqliteSaver({ path: "runs.db" });
const isRefused = await store.open("run-1", { mode: "create" }).then(
  async (handle) => {
    await handle.append([{ type: "run.started" }]);
    await handle.close();
    return false;
  },
  (refusal) => AtomicError.is(refusal, "SQLITE_UNAVAILABLE") || Promise.reject(refusal),
);
const hasSqlite =
  process.versions.bun !== undefined || (await import("node:sqlite").catch(() => undefined)) !== undefined;
assert.equal(isRefused, !hasSqlite);
console.log(hasSqlite ? "SQLite keeps a run" : "SQLite is refused with SQLITE_UNAVAILABLE");
