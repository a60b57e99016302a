// One side of a pair, in a separate process: side.ts KIND port|alone|transcript FOLDER. Each line of input is the size
// of a turn, which is run and answered with a line: its cost for this process. The agent's program, its tools and the
// model are separate processes, whose work is not counted.

import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { scenarioPrompt } from "../../src/testing/model-server/scenario.ts";
import type { RigBackend, RigPlace } from "../../tests/agents/rig.ts";
import type { BenchAgent } from "./agent.ts";
import { withPlace } from "./place.ts";
import { openPortAgent, openTranscribedAgent } from "./port-agent.ts";
import { deltaCount, type Size } from "./sizes.ts";

export interface TurnCost {
  readonly cpuNs: number;
  readonly firstTextNs: number;
  /** The part of it that the transcript takes, on the side that writes one. */
  readonly keptNs: number;
}

const kept = { ns: 0 };

type Open = (place: RigPlace, cwd: string) => Promise<BenchAgent>;

/** Programs work on for a moment after the end of a turn, which must not be counted with the next one. */
const settleMs = 150;

/** Each turn sends the whole session to the model again: long sessions are slow, and show nothing new. */
const turnsPerSession = 20;

async function openerOf(kind: string, side: string): Promise<Open> {
  if (side === "port" || side === "transcript") {
    const file = join(import.meta.dirname, `../../tests/agents/backends/${kind}.ts`);
    const { rigBackend } = (await import(file)) as { readonly rigBackend: RigBackend };
    return (place, cwd) =>
      side === "port"
        ? openPortAgent(rigBackend.createClient(place), rigBackend, cwd)
        : openTranscribedAgent(rigBackend.createClient(place), rigBackend, cwd, kept);
  }
  const { openAlone } = (await import(join(import.meta.dirname, `${kind}-alone.ts`))) as { readonly openAlone: Open };
  return openAlone;
}

async function runTurn(agent: BenchAgent, size: Size, folder: string): Promise<TurnCost> {
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  let firstTextNs = Number.NaN;
  let chars = 0;
  const keptBefore = kept.ns;
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  await agent.turn(scenarioPrompt(size, folder), (text) => {
    if (chars === 0) firstTextNs = (performance.now() - started) * 1e6;
    chars += text.length;
  });
  const { user, system } = process.cpuUsage(cpuBefore);
  if (size === "flood" && chars < deltaCount * 10) throw new Error(`Only ${chars} characters came.`);
  return { cpuNs: (user + system) * 1e3, firstTextNs, keptNs: kept.ns - keptBefore };
}

if (import.meta.main) {
  const [kind = "", side = "", folder = ""] = process.argv.slice(2);
  const open = await openerOf(kind, side);
  await withPlace(kind, folder, async (place) => {
    let current: { readonly size: string; readonly agent: BenchAgent; readonly cwd: string; turns: number } | undefined;
    for await (const size of createInterface({ input: process.stdin })) {
      if (current?.size !== size || current.turns === turnsPerSession) {
        await current?.agent.close();
        const cwd = mkdtempSync(join(place.root, `${size}-`));
        current = { size, cwd, agent: await open(place, cwd), turns: 0 };
      }
      current.turns++;
      console.log(JSON.stringify(await runTurn(current.agent, size as Size, current.cwd)));
    }
    await current?.agent.close();
  });
  // The SDKs leave timers behind.
  process.exit(0);
}
