// What the live lines of a run cost: at a terminal that shows them, against one that can only print (TERM=dumb), where the
// same run writes the same log. Idle: five agents that think. Busy: hundreds of short turns that write files. The packaged
// program, at a pseudo terminal; on Bun, which has those.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { taskList } from "../harness/ralph-run.ts";
import { median } from "../harness/statistics.ts";

const program = join(import.meta.dirname, "../.build/package/bin/atomic");

interface Run {
  readonly child: Bun.Subprocess;
  readonly shown: () => string;
}

/** `ralph` over a list of tasks, in a home and a project of its own. */
function start(folder: string, name: string, term: string, tasks: number, steps: readonly object[]): Run {
  const home = join(folder, name);
  const project = join(home, "project");
  mkdirSync(join(project, "research"), { recursive: true });
  writeFileSync(join(project, "research/tasks.json"), taskList(tasks));
  const script = join(home, "script.json");
  writeFileSync(script, JSON.stringify({ version: 1, turns: [{ steps }] }));
  const words = ["ralph", "-a", "scripted", "--script", script, "--max-reviews", "0", "--workers", "5"];
  let shown = "";
  const child = Bun.spawn([program, ...words, "--max-iterations", "0", "--max-stuck", "0"], {
    cwd: project,
    env: { PATH: "/usr/bin:/bin", HOME: home, TERM: term },
    terminal: { cols: 120, rows: 40, data: (_, data) => void (shown += new TextDecoder().decode(data)) },
  });
  return { child, shown: () => shown };
}

async function until(run: Run, text: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!Bun.stripANSI(run.shown()).includes(text)) {
    if (run.child.exitCode !== null || performance.now() > deadline)
      throw new Error(`it did not show ${text}:\n${run.shown()}`);
    await Bun.sleep(20);
  }
}

/** CPU that the threads of a process have used so far, in nanoseconds: its other counters have steps of 10 ms. */
function cpuNs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  return threads.reduce(
    (sum, thread) => sum + Number.parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"), 10),
    0,
  );
}

/** The share of one core that five agents who think cost. */
async function idleShare(folder: string, term: string, seconds: number): Promise<number> {
  const run = start(folder, `idle-${term}`, term, 5, [{ waitMs: 3_600_000 }]);
  try {
    await until(run, "→ 5  Task 5");
    // What the start itself costs is over by then.
    await Bun.sleep(1_500);
    const from = { at: performance.now(), cpu: cpuNs(run.child.pid) };
    await Bun.sleep(seconds * 1_000);
    return (cpuNs(run.child.pid) - from.cpu) / ((performance.now() - from.at) * 1e6);
  } finally {
    run.child.kill("SIGKILL");
    await run.child.exited;
  }
}

const busyTurn = [
  { waitMs: 5 },
  { say: "Reading what there is." },
  { write: { path: "out.txt", content: "one\ntwo\nthree\n" } },
  { say: "done" },
  { usage: { inputTokens: 100, outputTokens: 10, costUsd: 0.001 } },
];

/** CPU of a whole run. */
async function busyCpu(folder: string, name: string, term: string, tasks: number): Promise<number> {
  const { child, shown } = start(folder, name, term, tasks, busyTurn);
  await child.exited;
  if (child.exitCode !== 0) throw new Error(`it ended with ${child.exitCode}:\n${shown().slice(-2000)}`);
  return Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) * 1e3;
}

async function measure({ scale, folder }: MeasureContext): Promise<Figures> {
  if (typeof Bun === "undefined" || process.platform !== "linux") return {};
  const isFull = scale === "full";
  const seconds = isFull ? 20 : 6;
  const idle = await idleShare(folder, "xterm", seconds);
  const idleWithout = await idleShare(folder, "dumb", seconds);
  const pairs: { readonly live: number; readonly plain: number }[] = [];
  for (let i = 0; i < (isFull ? 7 : 3); i++)
    pairs.push({
      live: await busyCpu(folder, `live-${i}`, "xterm", 1_000),
      plain: await busyCpu(folder, `plain-${i}`, "dumb", 1_000),
    });
  return { idle, idleWithout, busy: median(pairs.map(({ live, plain }) => live / plain - 1)) };
}

function rows(measured: Measured): readonly Row[] {
  const figure = (name: string): number => measured.median("program", name);
  if (!Number.isFinite(figure("idle"))) return [];
  const percent = (value: number): string => `${(value * 100).toFixed(2)} %`;
  const most = (work: string, value: number, limit: number): Row => ({
    work,
    target: `at most ${limit * 100} %`,
    measured: percent(value),
    isMet: value <= limit,
  });
  return [
    most("Live lines, five agents that think: CPU of the whole program", figure("idle"), 0.01),
    { work: "The same without live lines", target: "", measured: percent(figure("idleWithout")), isMet: undefined },
    most("Live lines, 1,000 short turns over five workers: CPU, above the same run without", figure("busy"), 0.03),
  ];
}

export default defineBench({
  title: "Live output of a run",
  part: "program",
  unit: "run",
  rounds: { full: 1, quick: 1 },
  subjects: { program: { onlyOn: "bun", measure } },
  rows,
});
