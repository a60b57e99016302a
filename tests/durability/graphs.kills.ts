// A sample of the kill matrix: every graph on one of the stores, killed for real at a few of its writes. `npm run matrix`
// kills at all of them. ATOMIC_MATRIX_SEED chooses another sample, ATOMIC_MATRIX_KILLS a larger one.

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { StartChild } from "./matrix/cell.ts";
import { ChildProgram } from "./matrix/child-process.ts";
import { matrixGraphs } from "./matrix/graphs.ts";
import { allCells, describeCell, describeKills, everyKill, runJob, sample, undisturbed } from "./matrix/matrix.ts";

const seed = Number(process.env["ATOMIC_MATRIX_SEED"] ?? 1);
const killsPerCell = Number(process.env["ATOMIC_MATRIX_KILLS"] ?? 1);

let program: ChildProgram;
let start: StartChild;

beforeAll(async () => {
  program = await ChildProgram.build();
  start = (task) => program.start(task);
});

afterAll(() => program.remove());

for (const [place, graph] of Object.keys(matrixGraphs).entries()) {
  test(`"${graph}" killed and resumed ends as if it had not been`, async () => {
    // One cell of the graph: its neighbors take the other stores and rates, and four seeds look at all of its cells.
    const all = allCells([graph]);
    for (const of of all.filter((_, i) => i === (place + seed) % all.length)) {
      const expected = await undisturbed(of, start);
      expect(expected.status).toBe(graph === "cancelled" ? "cancelled" : "completed");
      for (const job of sample(everyKill(of, expected), killsPerCell, seed + place)) {
        const failure = await runJob(job, start);
        const what = `${describeCell(job.of)}, killed ${describeKills(job.kills)}: ${failure?.reason}`;
        expect(failure === undefined ? "" : what).toBe("");
      }
    }
  }, 120_000);
}

test("a run killed at any moment, in the middle of a write or not, ends as if it had not been", async () => {
  for (const of of allCells(["nested parallel"])) {
    const expected = await undisturbed(of, start);
    for (const afterMs of [15, 45]) {
      // It may have ended before.
      const failure = await runJob({ of, expected, kills: [{ afterMs }] }, start);
      if (failure !== undefined && !failure.reason.startsWith("it ended before it could be killed"))
        throw new Error(`${describeCell(of)}, killed after ${afterMs} ms: ${failure.reason}`);
    }
  }
}, 120_000);
