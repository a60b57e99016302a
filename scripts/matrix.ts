// `npm run matrix`: kills every graph of the matrix, on every store, before and after every single write, resumes it and
// compares the end. `--graph NAME` and `--store NAME` choose a part, `--jobs N` says how many runs at a time.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ChildProgram } from "../tests/durability/matrix/child-process.ts";
import type { CellOf } from "../tests/durability/matrix/cell.ts";
import { matrixGraphs } from "../tests/durability/matrix/graphs.ts";
import {
  allCells,
  describeCell,
  describeKills,
  everyKill,
  type Failure,
  inParallel,
  type Job,
  runJob,
  undisturbed,
} from "../tests/durability/matrix/matrix.ts";

const { values } = parseArgs({
  options: {
    graph: { type: "string", multiple: true },
    store: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism() + 1) },
  },
});
const graphs = values.graph ?? Object.keys(matrixGraphs);
for (const name of graphs) if (matrixGraphs[name] === undefined) throw new Error(`There is no graph "${name}".`);
const cells = allCells(graphs).filter(({ store }) => values.store === undefined || values.store === store);
if (cells.length === 0) throw new Error(`There is no store "${values.store}".`);
const atATime = Number(values.jobs);

interface Row {
  readonly of: CellOf;
  records: number;
  kills: number;
  failures: Failure[];
}

const started = performance.now();
const program = await ChildProgram.build();
const start = program.start.bind(program);
const rows = new Map<CellOf, Row>();
try {
  const jobs: Job[] = [];
  await inParallel(cells, atATime, async (of) => {
    const expected = await undisturbed(of, start);
    const all = everyKill(of, expected);
    rows.set(of, { of, records: expected.records, kills: all.length, failures: [] });
    jobs.push(...all);
  });
  let done = 0;
  await inParallel(jobs, atATime, async (job) => {
    const failure = await runJob(job, start);
    if (failure !== undefined) {
      rows.get(job.of)?.failures.push(failure);
      console.error(
        `FAILED ${describeCell(failure.of)}, killed ${describeKills(failure.kills)}:\n${failure.reason.split("\n").slice(0, 30).join("\n")}\n`,
      );
    }
    if (++done % 500 === 0) console.error(`${done} of ${jobs.length} (${seconds()})`);
  });
} finally {
  program.remove();
}
print([...rows.values()]);

function print(all: readonly Row[]): void {
  const table = all.map((row) => [
    row.of.graph,
    `${row.of.store}${row.of.snapshotEvery < 100 ? " + snapshots" : ""}`,
    String(row.records),
    String(row.kills),
    String(row.failures.length),
  ]);
  table.sort((a, b) => `${a[0]} ${a[1]}`.localeCompare(`${b[0]} ${b[1]}`));
  const lines = [["graph", "store", "records", "kills", "failures"], ...table];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    console.log(line.map((text, i) => (i < 2 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join("  "));
  }
  const kills = all.reduce((sum, row) => sum + row.kills, 0);
  const failures = all.reduce((sum, row) => sum + row.failures.length, 0);
  console.log(`\n${kills} killed and resumed, ${failures} failed, ${seconds()}`);
  process.exitCode = failures === 0 && kills > 0 ? 0 : 1;
}

function seconds(): string {
  return `${((performance.now() - started) / 1000).toFixed(0)} s`;
}
