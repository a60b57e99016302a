// Records one run of every graph of the matrix that has no file yet: `scripts/bun tests/durability/histories/record.ts`.
// A file that exists is never written again. That it still replays is the point of it.

import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { journalFormat } from "../../../src/journal/port.ts";
import type { Json } from "../../../src/lib/json.ts";
import { executeGraph } from "../../../src/workflows/graph/run/execute.ts";
import { effectsIn, runId, stillClock } from "../matrix/child.ts";
import { GraphKit } from "../matrix/graph-kit.ts";
import { matrixGraphs } from "../matrix/graphs.ts";
import { TapeStore } from "../tape.ts";
import { graphsWithHistory, historiesFolder, type History } from "./history-file.ts";

mkdirSync(historiesFolder, { recursive: true });
for (const [graph, make] of Object.entries(matrixGraphs)) {
  const path = join(historiesFolder, `v${journalFormat}-${graph.replaceAll(" ", "-")}.json`);
  if (existsSync(path)) continue;
  const folder = mkdtempSync(join(tmpdir(), "atomic-history-"));
  try {
    const kit = new GraphKit(effectsIn(folder));
    if (!graphsWithHistory(kit).includes(graph)) continue;
    const { graph: compiled, answers = {}, workflows } = make(kit);
    const store = new TapeStore({ eagerSnapshots: true });
    const runtime = { clock: stillClock, ...(workflows === undefined ? {} : { workflows }) };
    const journal = { store, run: runId };
    let result = await executeGraph(compiled, { journal, runtime, snapshotEvery: 4 });
    // Waits are recorded as in real use: the run pauses, and resumes in another process.
    if (result.status === "paused")
      result = await executeGraph(compiled, {
        journal: { ...journal, resume: true },
        runtime,
        snapshotEvery: 4,
        answers,
      });
    if (result.status !== "completed") throw new Error(`${graph} ended ${result.status}`);
    const history: History = { format: journalFormat, graph, tape: store.tape, state: result.state as object as Json };
    writeFileSync(path, `${JSON.stringify(history, undefined, 1)}\n`, { flag: "wx" });
    process.stdout.write(`${path}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
