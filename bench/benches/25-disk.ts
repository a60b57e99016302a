// What a recorded step with a small update leaves on the disk: 10,000 steps of a loop, each with an update of 60 bytes.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { closeIdleConnections } from "../../src/journal/sqlite/connections.ts";
import { createNode, executeGraph, FileSaver, graph, type JournalStore } from "../../src/public/workflows.ts";
import { SqliteSaver } from "../../src/public/sqlite.ts";
import type { Subject } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { bytes } from "../harness/text.ts";

const steps = 10_000;
const updateBytes = 60;
const limit = 160;

interface NoteState {
  readonly count: number;
  readonly note: string;
}

function updateOf(count: number): NoteState {
  const empty = JSON.stringify({ count, note: "" }).length;
  return { count, note: "x".repeat(updateBytes - empty) };
}

async function record(store: JournalStore): Promise<void> {
  const step = createNode<NoteState>({
    id: "step",
    execute: async ({ state }) => ({ stateUpdate: updateOf(state.count + 1) }),
  });
  const compiled = graph<NoteState>()
    .start(createNode<NoteState>({ id: "start", execute: async () => undefined }))
    .loop(step, { until: (state) => state.count >= steps, maxIterations: 0 })
    .compile({ maxSteps: 0 });
  const { status, error } = await executeGraph(compiled, {
    initialState: { count: 0, note: "" },
    journal: { store, run: "disk" },
  });
  if (status !== "completed") throw error ?? new Error(`The run ended as ${status}.`);
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function onDisk(open: (folder: string) => JournalStore): Subject {
  return {
    measure: async ({ folder }) => {
      await record(open(folder));
      closeIdleConnections();
      return { perStep: sizeOf(folder) / steps };
    },
  };
}

export default defineBench({
  title: "Disk per recorded step",
  part: "growth",
  rounds: { full: 1, quick: 1 },
  subjects: {
    sqlite: onDisk((folder) => new SqliteSaver({ path: join(folder, "runs.sqlite"), sync: "normal" })),
    files: onDisk((folder) => new FileSaver({ dir: folder })),
  },
  rows: (measured) => [
    atMost(
      "Disk per durable step with an update of 60 bytes, SQLite",
      measured.median("sqlite", "perStep"),
      limit,
      bytes,
    ),
    {
      work: "The same in files",
      target: "",
      measured: bytes(measured.median("files", "perStep")),
      isMet: undefined,
    },
  ],
});
