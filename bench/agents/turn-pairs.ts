// Runs the same turns through the port and through a vendor's SDK alone, alternately, and reports what they cost the
// host. Each side is a separate process, so they share no compiled code, no heap and no threads. A second process of
// the SDK shows how much two equal sides differ.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Figures, MeasureContext, Scale } from "../harness/bench.ts";
import { median } from "../harness/statistics.ts";
import type { TurnCost } from "./side.ts";
import { deltaCount, sizes, type Size } from "./sizes.ts";

type Counts = Readonly<Record<Scale, Readonly<Record<Size, number>>>>;

/** Warm-up turns: a host that runs all night has compiled its code, and after these turns both sides mostly have. */
const warmUpRounds: Counts = {
  full: { burst: 40, task: 5, answer: 10, flood: 6 },
  quick: { burst: 1, task: 1, answer: 2, flood: 1 },
};
/** A program's first text takes a tenth of a second, give or take a quarter: many turns are needed to see 10 ms. */
const rounds: Counts = {
  full: { burst: 20, task: 20, answer: 100, flood: 11 },
  quick: { burst: 1, task: 1, answer: 3, flood: 1 },
};

const sides = ["port", "alone", "control"] as const;
type Side = (typeof sides)[number];
type Costs = Record<Side, TurnCost>;

interface Runner {
  turn(size: Size): Promise<TurnCost>;
  close(): Promise<void>;
}

export async function measurePairs(kind: string, { scale, folder }: MeasureContext): Promise<Figures> {
  const runners: Record<Side, Runner> = {
    port: startSide(kind, "port", join(folder, "port")),
    alone: startSide(kind, "alone", join(folder, "alone")),
    control: startSide(kind, "alone", join(folder, "control")),
  };
  try {
    const figures: Record<string, number> = {};
    for (const size of sizes) {
      const costs: Costs[] = [];
      for (let round = 0; round < warmUpRounds[scale][size] + rounds[scale][size]; round++) {
        const cost = await runRound(runners, size, round);
        if (round >= warmUpRounds[scale][size]) costs.push(cost);
      }
      const middle = (value: (cost: Costs) => number): number => median(costs.map(value));
      figures[`${size}Cpu`] = middle(({ port: { cpuNs } }) => cpuNs);
      figures[`${size}CpuAlone`] = middle(({ alone: { cpuNs } }) => cpuNs);
      figures[`${size}Ratio`] = middle(({ port, alone }) => port.cpuNs / alone.cpuNs);
      figures[`${size}ControlRatio`] = middle(({ control, alone }) => control.cpuNs / alone.cpuNs);
      figures[`${size}First`] = middle(({ port, alone }) => port.firstTextNs - alone.firstTextNs);
      figures[`${size}ControlFirst`] = middle(({ control, alone }) => control.firstTextNs - alone.firstTextNs);
      figures[`${size}FirstAlone`] = middle(({ alone: { firstTextNs } }) => firstTextNs);
      figures[`${size}PerDelta`] = middle(({ port, alone }) => (port.cpuNs - alone.cpuNs) / deltaCount);
      figures[`${size}ControlPerDelta`] = middle(({ control, alone }) => (control.cpuNs - alone.cpuNs) / deltaCount);
    }
    return figures;
  } finally {
    for (const runner of Object.values(runners)) await runner.close();
  }
}

/** A turn of each. The order changes, because the later ones find the machine warm. */
async function runRound(runners: Record<Side, Runner>, size: Size, round: number): Promise<Costs> {
  const costs: Partial<Costs> = {};
  for (let place = 0; place < sides.length; place++) {
    const side = sides[(round + place) % sides.length] ?? "port";
    costs[side] = await runners[side].turn(size);
  }
  return costs as Costs;
}

export function startSide(kind: string, side: "port" | "alone" | "transcript", folder: string): Runner {
  mkdirSync(folder);
  const child = spawn(process.execPath, ["--no-env-file", join(import.meta.dirname, "side.ts"), kind, side, folder], {
    env: { PATH: "/usr/bin:/bin", HOME: folder, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async turn(size) {
      child.stdin.write(`${size}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error(`The ${side} side of ${kind} ended.`);
      return JSON.parse(line.value) as TurnCost;
    },
    async close() {
      child.stdin.end();
      await exited;
    },
  };
}
