// `npm run bench`: measures every bench on every runtime, writes the tables into docs/performance.md, and ends with 1
// when a target is missed.
//
//   --quick          a few small rounds, in under two minutes; prints only
//   --report         end with 0 whatever was measured
//   --part NAME      just this part: engine, growth, agents, program, isolation or screens; writes its tables
//   --only NAME      just this bench (repeatable); prints only
//   --runtime NAME   just bun or node; prints only
//   --rounds N       at most this many rounds of each bench

import { join } from "node:path";
import { installAgents } from "../scripts/install-agents.ts";
import { installPinned } from "../scripts/install-pinned.ts";
import { parts, type Bench, type Part, type Scale } from "./harness/bench.ts";
import { benchNames, bundle, installPackages } from "./harness/prepare.ts";
import { formatReport, type MeasuredBench } from "./harness/report.ts";
import { runBench } from "./harness/run-bench.ts";
import { findRuntimes } from "./harness/runtimes.ts";
import { writeBetweenMarkers } from "./harness/write-document.ts";
import { scriptOptions } from "../scripts/script-options.ts";

const values = scriptOptions(import.meta.path, {
  quick: { type: "boolean", default: false },
  report: { type: "boolean", default: false },
  part: { type: "string", multiple: true, default: [] },
  only: { type: "string", multiple: true, default: [] },
  runtime: { type: "string" },
  rounds: { type: "string", default: "1000" },
});

const started = performance.now();
const scale: Scale = values.quick ? "quick" : "full";
const names = chooseBenches(values.only);
const chosenParts = chooseParts(values.part);
await installPackages();
await bundle();
const runtimes = findRuntimes().filter((runtime) => values.runtime === undefined || runtime.name === values.runtime);
if (runtimes.length === 0) throw new Error(`There is no runtime "${values.runtime}"; there are bun and node.`);

const isWritten = scale === "full" && values.only.length === 0 && values.runtime === undefined;
const benches = await Promise.all(names.map(load));
const measured: MeasuredBench[] = [];
for (const part of chosenParts) {
  const own: MeasuredBench[] = [];
  for (const { name, bench } of benches) if (bench.part === part) own.push(...(await measure(name, bench)));
  // Written now, so that a failure in the next part loses nothing of this one.
  if (isWritten)
    writeBetweenMarkers(join(import.meta.dir, "../docs/performance.md"), part, formatReport(own, runtimes));
  measured.push(...own);
}

const missed = measured.flatMap(({ runtime, rows }) =>
  rows
    .filter((row) => row.isMet === false)
    .map((row) => `${runtime.title}: ${row.work}: ${row.measured}, ${row.target}`),
);
console.log(
  `\n${Math.round((performance.now() - started) / 1000)} s${isWritten ? "; docs/performance.md is written" : ""}`,
);
console.log(
  missed.length === 0 ? "bench: every target is met" : `bench: ${missed.length} missed\n  ${missed.join("\n  ")}`,
);
process.exitCode = missed.length > 0 && !values.report ? 1 : 0;

async function load(name: string): Promise<{ readonly name: string; readonly bench: Bench }> {
  const file = join(import.meta.dir, "benches", `${name}.ts`);
  return { name, bench: ((await import(file)) as { default: Bench }).default };
}

async function measure(name: string, bench: Bench): Promise<readonly MeasuredBench[]> {
  console.log(`\n${bench.title}`);
  if (bench.needsAgents === true) await installAgents();
  if (bench.needsPostgres === true)
    await installPinned(join(import.meta.dir, "../tests/postgres"), "PostgreSQL into tests/postgres (60 MB)");
  const found: MeasuredBench[] = [];
  for (const [runtime, rounds] of await runBench(bench, name, runtimes, scale, Number(values.rounds))) {
    const rows = bench.rows(rounds);
    for (const row of rows)
      console.log(
        `  ${mark(row.isMet)} ${runtime.title}: ${row.work}: ${row.measured}${row.target === "" ? "" : ` (${row.target})`}`,
      );
    found.push({ bench, runtime, rounds, rows });
  }
  return found;
}

function chooseParts(chosen: readonly string[]): readonly Part[] {
  for (const name of chosen)
    if (!parts.some((part) => part === name))
      throw new Error(`There is no part "${name}". There are: ${parts.join(", ")}.`);
  return chosen.length === 0 ? parts : parts.filter((part) => chosen.includes(part));
}

function chooseBenches(only: readonly string[]): readonly string[] {
  const known = benchNames();
  for (const name of only)
    if (!known.some((known) => isNamed(known, name)))
      throw new Error(`There is no bench "${name}". There are: ${known.join(", ")}.`);
  return only.length === 0 ? known : known.filter((known) => only.some((name) => isNamed(known, name)));
}

/** With its number or without. */
function isNamed(bench: string, name: string): boolean {
  return bench === name || bench.replace(/^\d+-/, "") === name;
}

function mark(isMet: boolean | undefined): string {
  return isMet === undefined ? " " : isMet ? "✓" : "✗";
}
