// Bundled with the packed library into one file, and run in a folder that holds nothing else: a graph runs and writes
// its checkpoints, a list of tasks is read and written, and SQLite is used or refused as on an installed package.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { AtomicError, executeGraph, graph, taskLoopNode, toolNode } from "atomic/workflows";
import { graph as sameGraph } from "atomic/workflows/graph";
import { SqliteSaver } from "atomic/workflows/sqlite";

assert.equal(graph, sameGraph);

const count = toolNode({ id: "count", execute: (state) => state.n + 1, outputMapper: (n) => ({ n }) });
const compiled = graph().start(count).compile({ checkpointing: true, checkpointDir: "runs" });
assert.equal((await compiled.execute({ n: 1 })).n, 2);
assert.ok(readdirSync("runs").length > 0, "checkpointing writes nothing");

writeFileSync("tasks.json", '{ "version": "1.0", "tasks": [{ "id": "1", "name": "One", "status": "pending" }] }');
const loop = taskLoopNode({ tasksPath: "tasks.json", taskNodes: toolNode({ id: "work", execute: () => "done" }) });
await graph().start(loop).compile().execute({});
assert.match(readFileSync("tasks.json", "utf8"), /"completed"|"passing"/);

const journal = { store: new SqliteSaver({ path: "runs.db" }), run: "0b9e1a54-6c3f-4d8a-9f5e-2f6f4d1c7a10" };
const hasSqlite =
  process.versions.bun !== undefined || (await import("node:sqlite").catch(() => undefined)) !== undefined;
const isKept = await executeGraph(graph().start(count).compile(), { initialState: { n: 1 }, journal }).then(
  ({ status }) => status === "completed",
  (error) => (AtomicError.is(error, "SQLITE_UNAVAILABLE") ? false : Promise.reject(error)),
);
assert.equal(isKept, hasSqlite);
console.log(hasSqlite ? "SQLite keeps a run" : "SQLite is refused");
