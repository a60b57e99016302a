// From the command line to the first turn of an agent: a ralph run in a git repository on the embedded agent, against
// an empty Bun program. As it is installed, and for comparison from a clone, which compiles its sources at each start.
// Bun only: the program runs on nothing else.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Measured, Row, Scale } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const limitNs = 150e6;
const firstTurn = '"agent.turn-started"';
const starts: Readonly<Record<Scale, number>> = { full: 15, quick: 5 };

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Start {
  readonly wallNs: number;
  readonly cpuNs: number;
}

/** The time until the text is printed; then the process is killed. */
async function timeUntil(command: readonly string[], text: string, { cwd, env }: Place): Promise<Start> {
  const began = performance.now();
  const child = Bun.spawn([...command], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const decoder = new TextDecoder();
  let printed = "";
  for await (const bytes of child.stdout) {
    printed += decoder.decode(bytes, { stream: true });
    if (!printed.includes(text)) continue;
    const wallNs = (performance.now() - began) * 1e6;
    child.kill("SIGKILL");
    await child.exited;
    return { wallNs, cpuNs: Number(child.resourceUsage()?.cpuTime.total ?? 0) * 1e3 };
  }
  throw new Error(`${command.join(" ")} never printed ${text}: ${printed}${await child.stderr.text()}`);
}

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  if (typeof Bun === "undefined") return {};
  const root = join(import.meta.dir, "../..");
  const home = join(folder, "home");
  const cwd = join(folder, "project");
  for (const path of [home, cwd]) mkdirSync(path);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, TMPDIR: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = Bun.spawnSync(["git", "init", "--quiet"], { cwd, env });
  if (git.exitCode !== 0) throw new Error(git.stderr.toString());
  const script = join(folder, "script.json");
  writeFileSync(script, JSON.stringify({ version: 1, turns: [{ steps: [{ hang: true }] }] }));
  const bun = [process.execPath, `--config=${join(root, "bin/bunfig.toml")}`, "--no-env-file", "--no-install"];
  const words = ["ralph", "Do it", "-a", "scripted", "--script", script, "--json"];
  const installed = join(root, "bench/.build/package/bin/atomic");
  const bare = [...bun, "--print", '"bare"'];
  const seen: Record<"bare" | "ralph" | "source", Start[]> = { bare: [], ralph: [], source: [] };
  for (let i = 0; i < starts[scale]; i++) {
    seen.bare.push(await timeUntil(bare, "bare", { cwd, env }));
    seen.ralph.push(await timeUntil([installed, ...words], firstTurn, { cwd, env }));
    seen.source.push(await timeUntil([join(root, "bin/atomic"), ...words], firstTurn, { cwd, env }));
  }
  // The minimum: other work on the machine only adds to it.
  const best = (starts: readonly Start[], of: keyof Start): number => Math.min(...starts.map((start) => start[of]));
  return {
    bareWall: best(seen.bare, "wallNs"),
    ralphWall: best(seen.ralph, "wallNs"),
    sourceWall: best(seen.source, "wallNs"),
    bareCpu: best(seen.bare, "cpuNs"),
    ralphCpu: best(seen.ralph, "cpuNs"),
  };
}

function rows(measured: Measured): readonly Row[] {
  const [bare, ralph] = [measured.median("program", "bareWall"), measured.median("program", "ralphWall")];
  if (!Number.isFinite(bare)) return [];
  return [
    atMost(
      "`atomic ralph` to its first agent turn: wall, best, over a bare Bun program",
      ralph - bare,
      limitNs,
      duration,
    ),
    {
      work: "The same: the run, and the bare program",
      target: "",
      measured: `${duration(ralph)}, ${duration(bare)}`,
      isMet: undefined,
    },
    {
      work: "The same from a clone: wall, best, over a bare Bun program",
      target: "",
      measured: duration(measured.median("program", "sourceWall") - bare),
      isMet: undefined,
    },
    {
      work: "The same: CPU, best, over a bare Bun program",
      target: "",
      measured: duration(measured.median("program", "ralphCpu") - measured.median("program", "bareCpu")),
      isMet: undefined,
    },
  ];
}

export default defineBench({
  title: "Start a run",
  part: "program",
  unit: "process",
  rounds: { full: 3, quick: 1 },
  subjects: { program: { measure } },
  rows,
});
