// Runs the same turns through the port and through a vendor's SDK, in turns, in one process, and says what they cost
// the host. The agent's program, its tools and the model are processes of their own: their work is not counted.

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

/** A flood is long, and its code is used nowhere else. */
const warmUpPairs: Counts = {
  full: { answer: 5, task: 3, flood: 4 },
  quick: { answer: 2, task: 1, flood: 1 },
};
const pairs: Counts = {
  full: { answer: 20, task: 20, flood: 5 },
  quick: { answer: 3, task: 1, flood: 1 },
};

export async function measurePairs(
  { backend, openAlone }: PairedBackend,
  { scale, folder }: MeasureContext,
): Promise<Figures> {
  return withPlace(backend.kind, folder, async (place) => {
    const folders = ["port", "alone"].map((name) => mkdtempSync(join(place.root, `${name}-`)));
    const [portFolder = "", aloneFolder = ""] = folders;
    const alone = await openAlone(place, aloneFolder);
    const port = await openPortAgent(backend.createClient(place), backend, portFolder);
    try {
      const figures: Record<string, number> = {};
      for (const size of sizes) {
        const costs: { readonly port: TurnCost; readonly alone: TurnCost }[] = [];
        for (let pair = -warmUpPairs[scale][size]; pair < pairs[scale][size]; pair++) {
          // Who goes first changes: the second of two finds the machine warm.
          const isPortFirst = pair % 2 === 0;
          const early = isPortFirst ? await runTurn(port, size, portFolder) : undefined;
          const other = await runTurn(alone, size, aloneFolder);
          const cost = { port: early ?? (await runTurn(port, size, portFolder)), alone: other };
          if (pair >= 0) costs.push(cost);
        }
        const middle = (value: (cost: (typeof costs)[number]) => number): number => median(costs.map(value));
        figures[`${size}Cpu`] = middle(({ port: { cpuNs } }) => cpuNs);
        figures[`${size}CpuAlone`] = middle(({ alone: { cpuNs } }) => cpuNs);
        figures[`${size}Ratio`] = middle((cost) => cost.port.cpuNs / cost.alone.cpuNs);
        figures[`${size}First`] = middle((cost) => cost.port.firstTextNs - cost.alone.firstTextNs);
        figures[`${size}FirstAlone`] = middle(({ alone: { firstTextNs } }) => firstTextNs);
        figures[`${size}PerDelta`] = middle((cost) => (cost.port.cpuNs - cost.alone.cpuNs) / deltaCount);
      }
      return figures;
    } finally {
      await port.close();
      await alone.close();
    }
  });
}

async function runTurn(agent: BenchAgent, size: Size, folder: string): Promise<TurnCost> {
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
