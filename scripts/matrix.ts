// `npm run matrix`: kills every graph of the matrix, on every store, before and after every single write, resumes it
// and compares the end; then the same with whole runs of ralph through the command line, and with the commands that
// retry, fork and cancel one. `--graph NAME` (a graph, or a part of the name of a ralph run) and `--store NAME` choose
// a part, `--jobs N` says how many runs at a time.

import { availableParallelism } from "node:os";
import { ChildProgram } from "../tests/durability/matrix/child-process.ts";
import type { CellOf } from "../tests/durability/matrix/cell.ts";
import { matrixGraphs } from "../tests/durability/matrix/graphs.ts";
import {
  allCells,
  describeCell,
  describeKills,
  everyKill,
  inParallel,
  type Job,
  runJob,
  undisturbed,
} from "../tests/durability/matrix/matrix.ts";
import { runRalphCell } from "../tests/ralph/matrix/cell.ts";
import { everyRalphKill, HostProgram, ralphProblem } from "../tests/ralph/matrix/matrix.ts";
import { scenarios } from "../tests/ralph/matrix/scenarios.ts";
import { everySteeredKill, runSteered, steeredProblem, steerings } from "../tests/ralph/matrix/steering.ts";
import { scriptOptions } from "./script-options.ts";

const values = scriptOptions(import.meta.path, {
  graph: { type: "string", multiple: true },
  store: { type: "string" },
  jobs: { type: "string", default: String(availableParallelism() + 1) },
});
const atATime = Number(values.jobs);
const isWanted = (name: string): boolean => values.graph?.some((part) => name === part) ?? true;
const graphs = Object.keys(matrixGraphs).filter(isWanted);
const isRalphWanted = ([name]: readonly [string, unknown]): boolean =>
  values.graph?.some((part) => `ralph: ${name}`.includes(part)) ?? values.store === undefined;
const ralphRuns = Object.entries(scenarios).filter(isRalphWanted);
const steeredRuns = Object.entries(steerings).filter(isRalphWanted);
const cells = allCells(graphs).filter(({ store }) => values.store === undefined || values.store === store);
if (cells.length + ralphRuns.length + steeredRuns.length === 0)
  throw new Error("There is no such graph, run or store.");

interface Row {
  readonly name: string;
  readonly store: string;
  readonly records: number;
  readonly kills: number;
  failures: number;
}

/** One kill of one row. Returns what is wrong, or undefined. */
interface Trial {
  readonly row: Row;
  readonly what: string;
  readonly run: () => Promise<string | undefined>;
}

const started = performance.now();
const rows: Row[] = [];
if (cells.length > 0) await runAll(await ChildProgram.build(), graphTrials);
if (ralphRuns.length + steeredRuns.length > 0)
  await runAll(await HostProgram.build(), async (program) => [
    ...(await ralphTrials(program)),
    ...(await steeredTrials(program)),
  ]);
print();

async function runAll<P extends { remove(): void }>(program: P, plan: (program: P) => Promise<Trial[]>): Promise<void> {
  try {
    const trials = await plan(program);
    let done = 0;
    await inParallel(trials, atATime, async ({ row, what, run }) => {
      const problem = await run();
      if (problem !== undefined) {
        row.failures++;
        console.error(`FAILED ${what}:\n${problem.split("\n").slice(0, 30).join("\n")}\n`);
      }
      if (++done % 500 === 0) console.error(`${done} of ${trials.length} (${seconds()})`);
    });
  } finally {
    program.remove();
  }
}

async function graphTrials(program: ChildProgram): Promise<Trial[]> {
  const start = program.start.bind(program);
  const trials: Trial[] = [];
  await inParallel(cells, atATime, async (of) => {
    const expected = await undisturbed(of, start);
    const jobs = everyKill(of, expected);
    const row = addRow({ name: of.graph, store: storeOf(of), records: expected.records, kills: jobs.length });
    const trial = (job: Job): Trial => ({
      row,
      what: `${describeCell(job.of)}, killed ${describeKills(job.kills)}`,
      run: async () => (await runJob(job, start))?.reason,
    });
    trials.push(...jobs.map(trial));
  });
  return trials;
}

async function ralphTrials(program: HostProgram): Promise<Trial[]> {
  const trials: Trial[] = [];
  await inParallel(ralphRuns, atATime, async ([name, scenario]) => {
    const expected = await runRalphCell(scenario, [], program.words);
    const all = everyRalphKill(expected);
    const row = addRow({ name: `ralph: ${name}`, store: "command line", records: expected.records, kills: all.length });
    for (const kills of all) {
      const run = (): Promise<string | undefined> => ralphProblem(scenario, kills, expected, program.words);
      trials.push({ row, what: `${row.name}, killed ${describeKills(kills)}`, run });
    }
  });
  return trials;
}

async function steeredTrials(program: HostProgram): Promise<Trial[]> {
  const trials: Trial[] = [];
  await inParallel(steeredRuns, atATime, async ([name, steering]) => {
    const expected = await runSteered(steering, undefined, program.words);
    const all = everySteeredKill(steering, expected);
    const row = addRow({ name: `ralph: ${name}`, store: "command line", records: expected.writes, kills: all.length });
    for (const kill of all) {
      const run = (): Promise<string | undefined> => steeredProblem(steering, kill, expected, program.words);
      trials.push({ row, what: `${row.name}, killed ${describeKills([kill])}`, run });
    }
  });
  return trials;
}

function addRow(facts: Omit<Row, "failures">): Row {
  const row = { ...facts, failures: 0 };
  rows.push(row);
  return row;
}

function storeOf({ store, snapshotEvery }: CellOf): string {
  return `${store}${snapshotEvery < 100 ? " + snapshots" : ""}`;
}

function print(): void {
  const table = rows
    .map((row) => [row.name, row.store, String(row.records), String(row.kills), String(row.failures)])
    .sort((a, b) => `${a[0]} ${a[1]}`.localeCompare(`${b[0]} ${b[1]}`));
  const lines = [["run", "store", "records", "kills", "failures"], ...table];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    console.log(line.map((text, i) => (i < 2 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join("  "));
  }
  const kills = rows.reduce((sum, row) => sum + row.kills, 0);
  const failures = rows.reduce((sum, row) => sum + row.failures, 0);
  console.log(`\n${kills} killed and resumed, ${failures} failed, ${seconds()}`);
  process.exitCode = failures === 0 && kills > 0 ? 0 : 1;
}

function seconds(): string {
  return `${((performance.now() - started) / 1000).toFixed(0)} s`;
}
