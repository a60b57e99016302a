// The measured figures as Markdown: the targets by runtime, then what the engines need in absolute terms.

import { readFileSync } from "node:fs";
import { cpus, loadavg, platform, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Bench, Row } from "./bench.ts";
import type { BenchRuntime } from "./runtimes.ts";
import { middleHalf, type Rounds } from "./statistics.ts";
import { duration } from "./text.ts";

export interface MeasuredBench {
  readonly bench: Bench;
  readonly runtime: BenchRuntime;
  readonly rounds: Rounds;
  readonly rows: readonly Row[];
}

const engines: Readonly<Record<string, string>> = {
  floor: "floor",
  atomic: "Atomic",
  langgraph: "LangGraph.js",
  mastra: "Mastra",
};

/** One part of the page. */
export function formatReport(measured: readonly MeasuredBench[], runtimes: readonly BenchRuntime[]): string {
  const isCompared = measured.some(({ rounds }) => rounds.has("floor"));
  const texts = [describeMachine(runtimes, isCompared ? comparedPackages : [])];
  for (const runtime of runtimes) {
    const own = measured.filter((each) => each.runtime === runtime);
    if (own.every(({ rows }) => rows.length === 0)) continue;
    texts.push(`#### ${runtime.title}`, targets(own));
    if (isCompared) texts.push("CPU time per unit, and wall time in brackets:", absolutes(own));
  }
  return texts.join("\n\n");
}

const comparedPackages = ["@langchain/langgraph", "@langchain/core", "@mastra/core"];

function targets(measured: readonly MeasuredBench[]): string {
  const rows = measured.flatMap(({ rows }) =>
    rows.map((row) => [
      row.work,
      row.target,
      row.measured,
      row.isMet === undefined ? "" : row.isMet ? "yes" : "**no**",
    ]),
  );
  return table(["work", "target", "measured", "met"], rows);
}

function absolutes(measured: readonly MeasuredBench[]): string {
  const compared = measured.filter(({ rounds }) => rounds.has("floor"));
  const rows = compared.map(({ bench, rounds }) => [
    `${bench.title}, per ${bench.unit ?? "step"}`,
    ...Object.keys(engines).map((engine) => absolute(rounds, engine)),
  ]);
  const spread = compared.map(({ rounds }) => spreadOf(rounds.values("atomic", "cpuNs")));
  return table(
    ["work", ...Object.values(engines), "middle half of Atomic's rounds"],
    rows.map((row, i) => [...row, spread[i] ?? ""]),
  );
}

function absolute(rounds: Rounds, engine: string): string {
  if (!rounds.has(engine)) return "–";
  return `${duration(rounds.median(engine, "cpuNs"))} (${duration(rounds.median(engine, "wallNs"))})`;
}

function spreadOf(values: readonly number[]): string {
  const [low, high] = middleHalf(values);
  return `${duration(low)} – ${duration(high)}`;
}

function describeMachine(runtimes: readonly BenchRuntime[], packages: readonly string[]): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const versions = packages.map((name) => `${name} ${versionOf(name)}`);
  return [
    `Measured on ${platform()} ${release().split(".").slice(0, 2).join(".")}, ${process.arch}, ${cpus().length} cores, ${memory} GB, with`,
    `${[...runtimes.map((runtime) => runtime.title), ...versions].join(", ")}.`,
    describeLoad(),
  ].join(" ");
}

/** Wall times of a busy machine mean little, so the page says so. */
function describeLoad(): string {
  const load = loadavg()[2] ?? 0;
  const own = "the measured processes run one at a time";
  return load > cpus().length
    ? `**The machine was busy with other work**: ${own}, and its load was ${load.toFixed(1)}; wall times are too high.`
    : `Its load was ${load.toFixed(1)}; ${own}.`;
}

function versionOf(name: string): string {
  const file = join(import.meta.dir, "../node_modules", name, "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
