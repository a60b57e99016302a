// A sample of the ralph matrix: whole runs through the command line, killed for real at a few of their writes and
// resumed. `npm run matrix` kills at all of them. ATOMIC_MATRIX_SEED chooses another sample, ATOMIC_MATRIX_KILLS a
// larger one.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { describeKills } from "../durability/matrix/matrix.ts";
import { mulberry32 } from "../durability/scheduler.ts";
import { runRalphCell } from "./matrix/cell.ts";
import { everyRalphKill, HostProgram, ralphProblem } from "./matrix/matrix.ts";
import { scenarios } from "./matrix/scenarios.ts";
import { everySteeredKill, runSteered, steeredProblem, steerings } from "./matrix/steering.ts";

const seed = Number(process.env["ATOMIC_MATRIX_SEED"] ?? 1);
const killsPerRun = Number(process.env["ATOMIC_MATRIX_KILLS"] ?? 1);

let host: HostProgram;

beforeAll(async () => {
  host = await HostProgram.build();
}, 180_000);

afterAll(() => host.remove());

for (const [place, [name, scenario]] of Object.entries(scenarios).entries()) {
  test(`ralph (${name}), killed and resumed, ends as if it had not been`, async () => {
    const expected = await runRalphCell(scenario, [], host.words);
    expect(expected.same.exitCode).toBe(scenario.exitCode ?? 0);
    const random = mulberry32(seed + place);
    const all = everyRalphKill(expected);
    for (let i = 0; i < killsPerRun; i++) {
      const kills = all[Math.floor(random() * all.length)] ?? [];
      const problem = await ralphProblem(scenario, kills, expected, host.words);
      expect(problem === undefined ? "" : `killed ${describeKills(kills)}: ${problem}`).toBe("");
    }
  }, 120_000);
}

test("a run that is retried, forked or cancelled by a process that is killed ends as if it had not been", async () => {
  // One of them, by the seed: each takes several processes.
  const all = Object.values(steerings);
  const steering = all[seed % all.length];
  if (steering === undefined) throw new Error("there is nothing to steer");
  const expected = await runSteered(steering, undefined, host.words);
  const random = mulberry32(seed);
  const kills = everySteeredKill(steering, expected);
  for (let i = 0; i < killsPerRun; i++) {
    const kill = kills[Math.floor(random() * kills.length)];
    if (kill === undefined) throw new Error("it writes nothing");
    const problem = await steeredProblem(steering, kill, expected, host.words);
    expect(problem === undefined ? "" : `killed ${describeKills([kill])}: ${problem}`).toBe("");
  }
}, 120_000);

test("the program itself, killed at any moment, is resumed to the same end", async () => {
  const scenario = scenarios["plan, workers, failing check, review, fix"];
  if (scenario === undefined) throw new Error("there is no such run");
  const program = [process.env["ATOMIC_TEST_PROGRAM"] ?? join(import.meta.dir, "../../bin/atomic")];
  const expected = await runRalphCell(scenario, [], program);
  for (const afterMs of [250, 600]) {
    // It may have ended before.
    const problem = await ralphProblem(scenario, [{ afterMs }, { afterMs: 300 }], expected, program);
    expect(problem === undefined ? "" : `killed after ${afterMs} ms: ${problem}`).toBe("");
  }
}, 120_000);
