// Every recorded history replays to the state it was recorded with, by this version and all that come: as a whole, and
// from any place where it could have been cut off.

import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import { graphsWithHistory, readHistories, tapeOf } from "./histories/history-file.ts";
import { effectsIn, runId, stillClock } from "./matrix/child.ts";
import { GraphKit } from "./matrix/graph-kit.ts";
import { matrixGraphs } from "./matrix/graphs.ts";
import { failuresOf } from "./random-checks.ts";
import { recordedKeys, storeOf } from "./tape.ts";

const histories = readHistories();

test("there is a history of every graph of the matrix", () => {
  const folder = mkdtempSync(join(tmpdir(), "atomic-history-"));
  try {
    const recorded = graphsWithHistory(new GraphKit(effectsIn(folder)));
    expect(new Set(histories.map(({ history }) => history.graph))).toEqual(new Set(recorded));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

for (const { name, history } of histories) {
  test(`${name} replays to the state it was recorded with`, async () => {
    const tape = tapeOf(history);
    const last = tape.findLastIndex(({ kind }) => kind === "append");
    for (let at = 1; at <= last; at++) {
      for (const withSnapshots of [false, true]) {
        const folder = mkdtempSync(join(tmpdir(), "atomic-history-"));
        try {
          const left = tape.slice(0, at);
          const effects = effectsIn(folder);
          // What failed before the cut has failed: the world does not forget.
          for (const [key, times] of failuresOf(left))
            for (let i = 0; i < times; i++) effects.add({ key, failed: true });
          const before = effects.read().length;
          const { graph, answers, workflows } = matrixGraphs[history.graph]!(new GraphKit(effects));
          const { status, state } = await executeGraph(graph, {
            journal: { store: await storeOf(runId, left, { withSnapshots }), run: runId, resume: true },
            runtime: { clock: stillClock, ...(workflows === undefined ? {} : { workflows }) },
            answers,
          });
          expect({ at, status, state }).toEqual({ at, status: "completed", state: history.state as never });
          const recorded = new Set(recordedKeys(left));
          const repeated = effects
            .read()
            .slice(before)
            .filter(({ key }) => recorded.has(key));
          expect(repeated).toEqual([]);
        } finally {
          rmSync(folder, { recursive: true });
        }
      }
    }
  }, 60_000);
}
