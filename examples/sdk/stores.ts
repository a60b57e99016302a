// Where runs are recorded. Every store keeps the same promises; choose by where the record should be.

import { readdirSync } from "node:fs";
import {
  AtomicError,
  createCheckpointer,
  executeGraph,
  FileSaver,
  graph,
  type JournalStore,
  MemorySaver,
  ResearchDirSaver,
  SessionDirSaver,
  toolNode,
} from "atomic/workflows";
import { PostgresSaver } from "atomic/workflows/postgres";
import { SqliteSaver } from "atomic/workflows/sqlite";

const hello = graph()
  .start(toolNode({ id: "hello", execute: () => "hello" }))
  .compile();

const stores: Record<string, JournalStore> = {
  memory: new MemorySaver(), // for tests
  files: new FileSaver({ dir: "runs" }), // one folder per run
  sessions: new SessionDirSaver({ dir: "sessions" }), // beside other files of a session
  research: new ResearchDirSaver(), // research/checkpoints, in the project
  sqlite: new SqliteSaver({ path: "runs.sqlite" }), // Bun, or Node from 22.5 on
  byName: createCheckpointer({ type: "file", dir: "more-runs" }), // from a setting
};
for (const [name, store] of Object.entries(stores)) {
  const { status } = await executeGraph(hello, { journal: { store, run: "run-1" } });
  const events = await Array.fromAsync(store.read("run-1"));
  console.log(name, status, events.length);
}
console.log(
  readdirSync(".")
    .filter((name) => !name.includes("sqlite"))
    .toSorted()
    .join(" "),
);

// For several machines. Its address is checked at once; the database is asked when the store is first used.
try {
  console.log(new PostgresSaver({ url: "mysql://localhost/atomic" }));
} catch (error) {
  if (AtomicError.is(error)) console.log(error.code);
}
