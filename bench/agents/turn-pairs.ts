// Runs the same turns through the port, through a vendor's SDK and through a second session of that SDK, in turns, in
// one process, and says what they cost the host. The second session shows how far two equal things differ here. The
// agent's program, its tools and the model are processes of their own: their work is not counted.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { scenarioPrompt } from "../../src/testing/model-server/scenario.ts";
import type { RigBackend, RigPlace } from "../../tests/agents/rig.ts";
import type { Figures, MeasureContext, Scale } from "../harness/bench.ts";
import { median } from "../harness/statistics.ts";
import type { BenchAgent } from "./agent.ts";
import { openPortAgent } from "./port-agent.ts";
import { deltaCount, sizes, type Size } from "./sizes.ts";

export interface PairedBackend {
  readonly backend: RigBackend;
  readonly openAlone: (place: RigPlace, cwd: string) => Promise<BenchAgent>;
}

/** Programs go on for a moment after the end of a turn: that must not be counted with the next one. */
const settleMs = 150;

interface TurnCost {
  readonly cpuNs: number;
  readonly firstTextNs: number;
}

type Counts = Readonly<Record<Scale, Readonly<Record<Size, number>>>>;

/** A host that lives for a night has compiled its code; both sides need about so many turns for it. */
const warmUpRounds: Counts = {
  full: { answer: 20, task: 25, flood: 6 },
  quick: { answer: 2, task: 1, flood: 1 },
};
const rounds: Counts = {
  full: { answer: 20, task: 20, flood: 11 },
  quick: { answer: 3, task: 1, flood: 1 },
};

export async function measurePairs(
  { backend, openAlone }: PairedBackend,
  { scale, folder }: MeasureContext,
): Promise<Figures> {
  return withPlace(backend.kind, folder, async (place) => {
    const runners: Record<Side, Runner> = {
      port: await runner("port", place, (cwd) => openPortAgent(backend.createClient(place), backend, cwd)),
      alone: await runner("alone", place, (cwd) => openAlone(place, cwd)),
      control: await runner("control", place, (cwd) => openAlone(place, cwd)),
    };
    try {
      const figures: Record<string, number> = {};
      for (const size of sizes) {
        const costs: Record<Side, TurnCost>[] = [];
        for (let round = 0; round < warmUpRounds[scale][size] + rounds[scale][size]; round++) {
          const cost = await runRound(runners, size, round);
          if (round >= warmUpRounds[scale][size]) costs.push(cost);
        }
        const middle = (value: (cost: Record<Side, TurnCost>) => number): number => median(costs.map(value));
        figures[`${size}Cpu`] = middle(({ port: { cpuNs } }) => cpuNs);
        figures[`${size}CpuAlone`] = middle(({ alone: { cpuNs } }) => cpuNs);
        figures[`${size}Ratio`] = middle(({ port, alone }) => port.cpuNs / alone.cpuNs);
        figures[`${size}ControlRatio`] = middle(({ control, alone }) => control.cpuNs / alone.cpuNs);
        figures[`${size}First`] = middle(({ port, alone }) => port.firstTextNs - alone.firstTextNs);
        figures[`${size}FirstAlone`] = middle(({ alone: { firstTextNs } }) => firstTextNs);
        figures[`${size}PerDelta`] = middle(({ port, alone }) => (port.cpuNs - alone.cpuNs) / deltaCount);
        figures[`${size}ControlPerDelta`] = middle(({ control, alone }) => (control.cpuNs - alone.cpuNs) / deltaCount);
      }
      return figures;
    } finally {
      for (const { agent } of Object.values(runners)) await agent.close();
    }
  });
}

const sides = ["port", "alone", "control"] as const;
type Side = (typeof sides)[number];

interface Runner {
  readonly agent: BenchAgent;
  readonly folder: string;
}

async function runner(name: Side, place: RigPlace, open: (cwd: string) => Promise<BenchAgent>): Promise<Runner> {
  const folder = mkdtempSync(join(place.root, `${name}-`));
  return { agent: await open(folder), folder };
}

/** A turn of each. Who goes first changes: those that follow find the machine warm. */
async function runRound(runners: Record<Side, Runner>, size: Size, round: number): Promise<Record<Side, TurnCost>> {
  const costs: Partial<Record<Side, TurnCost>> = {};
  for (let place = 0; place < sides.length; place++) {
    const side = sides[(round + place) % sides.length] ?? "port";
    costs[side] = await runTurn(runners[side], size);
  }
  return costs as Record<Side, TurnCost>;
}

async function runTurn({ agent, folder }: Runner, size: Size): Promise<TurnCost> {
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  let firstTextNs = Number.NaN;
  let chars = 0;
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  await agent.turn(scenarioPrompt(size, folder), (text) => {
    if (chars === 0) firstTextNs = (performance.now() - started) * 1e6;
    chars += text.length;
  });
  const { user, system } = process.cpuUsage(cpuBefore);
  if (size === "flood" && chars < deltaCount * 10) throw new Error(`Only ${chars} characters came.`);
  return { cpuNs: (user + system) * 1e3, firstTextNs };
}

/** A home and a model for the time of `run`. */
export async function withPlace<T>(kind: string, folder: string, run: (place: RigPlace) => Promise<T>): Promise<T> {
  mkdirSync(join(folder, "home"));
  const model = spawn(process.execPath, ["--no-env-file", join(import.meta.dirname, "model.ts"), kind], {
    env: { PATH: "/usr/bin:/bin", HOME: folder, BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => model.once("exit", resolve));
  const modelUrl = await new Promise<string>((resolve, reject) => {
    model.stdout.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    void exited.then(() => reject(new Error("The model ended.")));
  });
  try {
    return await run({ root: folder, modelUrl });
  } finally {
    model.stdin.end();
    await exited;
  }
}
