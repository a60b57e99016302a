// Work trees in a repository of 20,000 files: what a tree costs over `git worktree add`, what a landing costs without
// checks, whether either grows with what has landed, and how long eight workers take who change other files each, in
// trees of their own and in one folder. CPU is that of this process and of every git that it starts.

import { mkdirSync, readdirSync, readFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Figures, MeasureContext, Measured, Row } from "../harness/bench.ts";
import { defineBench } from "../harness/bench.ts";
import { atMost } from "../harness/targets.ts";
import { duration } from "../harness/text.ts";

const fileCount = 20_000;
const trees = 7;
const landings = 60;
const compared = 10;
const workers = 8;
/** A short turn for a real agent: what the trees cost weighs more here than in most runs. */
const turnMs = 30_000;
const runId = "00000000-0000-4000-8000-000000000000";

/** In ticks of the system, mostly 10 ms: user and system time, and that of children that ended. */
function cpuNs(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 1e7, 0);
}

function git(cwd: string, ...args: readonly string[]): string {
  const author = ["-c", "user.name=Bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"];
  const done = Bun.spawnSync(["git", ...author, ...args], { cwd, env: { PATH: "/usr/bin:/bin", HOME: cwd } });
  if (done.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${done.stderr.toString()}`);
  return done.stdout.toString().trim();
}

/** A hundred folders with files of about 4 kB, in one pack, as after a clone. */
function makeRepository(top: string): string {
  mkdirSync(top, { recursive: true });
  git(top, "init", "-q");
  for (let i = 0; i < fileCount; i++) {
    const folder = join(top, `src/${i % 10}/${i % 100}`);
    if (i < 100) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${i}.txt`), `${i}\n`.repeat(700));
  }
  git(top, "add", ".");
  git(top, "commit", "-qm", "Start");
  git(top, "repack", "-adq");
  return git(top, "rev-parse", "HEAD");
}

async function measure({ folder }: MeasureContext): Promise<Figures> {
  if (!existsSync("/proc/self/stat")) return {};
  const top = join(folder, "project");
  const base = makeRepository(top);
  return {
    ...(await measureTrees(folder, top, base)),
    ...(await measureLandings(folder, top, base)),
    ...(await measureWorkers(folder)),
  };
}

async function measureTrees(folder: string, top: string, base: string): Promise<Figures> {
  const { openRepository } = await import("../../src/workflows/worktrees/run-repository.ts");
  const { ensureTree, removeTree } = await import("../../src/workflows/worktrees/work-tree.ts");
  const place = { run: runId, top, dir: join(folder, "trees"), processesDir: join(folder, "processes"), base };
  const make = async (i: number): Promise<number> => {
    const before = cpuNs();
    const tree = await ensureTree(await openRepository(place), `tree-${i}`, { content: base, head: base });
    const spent = cpuNs() - before;
    if (readdirSync(tree.folder).length < 2) throw new Error("the tree is empty");
    await removeTree(await openRepository(place), `tree-${i}`);
    return spent;
  };
  const makeBare = (i: number): number => {
    const before = cpuNs();
    git(top, "worktree", "add", "--detach", "-q", join(folder, `bare-${i}`));
    const spent = cpuNs() - before;
    git(top, "worktree", "remove", "-f", join(folder, `bare-${i}`));
    return spent;
  };
  const pairs: { readonly ours: number; readonly bare: number }[] = [];
  // The first pair warms the disk's cache; the order changes from pair to pair.
  for (let i = 0; i <= trees; i++) {
    const first = i % 2 === 0 ? await make(i) : makeBare(i);
    const second = i % 2 === 0 ? makeBare(i) : await make(i);
    if (i > 0) pairs.push(i % 2 === 0 ? { ours: first, bare: second } : { ours: second, bare: first });
  }
  return {
    bareNs: middle(pairs.map(({ bare }) => bare)),
    treeRatio: middle(pairs.map(({ ours, bare }) => ours / bare)),
  };
}

function middle(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;
}

async function measureLandings(folder: string, top: string, base: string): Promise<Figures> {
  const { openRepository } = await import("../../src/workflows/worktrees/run-repository.ts");
  const { ensureTree, removeTree } = await import("../../src/workflows/worktrees/work-tree.ts");
  const { mergeWork, takeWork } = await import("../../src/workflows/worktrees/land-work.ts");
  const { moveHead } = await import("../../src/workflows/worktrees/merge.ts");
  const place = { run: runId, top, dir: join(folder, "trees"), processesDir: join(folder, "processes"), base };
  for (const name of ["base", "head"]) git(top, "update-ref", `refs/atomic/run/${runId}/${name}`, base);
  const start = { content: base, head: base };
  const name = "landing";
  const tree = await ensureTree(await openRepository(place), name, start);
  const spent: number[] = [];
  for (let i = 0; i < landings; i++) {
    writeFileSync(join(tree.folder, `src/${i % 10}/${i % 100}/landed-${i}.txt`), `${i}\n`);
    const before = cpuNs();
    const work = { name, start, message: `Landing ${i}\n`, at: i * 1000 };
    const keepDir = join(folder, "not-landed");
    const taken = await takeWork(await openRepository(place), { ...work, keepDir, conflicts: [] });
    if (taken.commit === null) throw new Error(taken.problem ?? "nothing was taken");
    const merged = await mergeWork(await openRepository(place), { ...work, commit: taken.commit });
    const moved = await moveHead(await openRepository(place), { from: merged.head, to: merged.commit });
    if (moved !== "landed") throw new Error(moved);
    spent.push(cpuNs() - before);
  }
  await removeTree(await openRepository(place), name);
  const mean = (list: readonly number[]): number => list.reduce((sum, each) => sum + each, 0) / list.length;
  // The first ones compile our code.
  const early = mean(spent.slice(compared, 2 * compared));
  return { landingNs: mean(spent.slice(compared)), growth: mean(spent.slice(-compared)) / early };
}

async function measureWorkers(folder: string): Promise<Figures> {
  const records = join(folder, "project/.git/atomic/trees");
  let most = 0;
  const watch = setInterval(() => {
    if (existsSync(records)) most = Math.max(most, readdirSync(records).length);
  }, 50);
  const apart = await timeWorkers(folder, true);
  clearInterval(watch);
  const ended = performance.now();
  // The files of large trees are removed after the run.
  while (existsSync(records) && readdirSync(records).length > 0) await Bun.sleep(50);
  const removedMs = performance.now() - ended;
  const together = await timeWorkers(folder, false);
  return {
    apartMs: apart.wholeMs,
    togetherMs: together.wholeMs,
    slowestMs: apart.slowestMs,
    most,
    removedMs,
  };
}

interface WorkersTime {
  /** From the plan to the end of the run. */
  readonly wholeMs: number;
  /** From the plan to the end of the last worker's turn. */
  readonly slowestMs: number;
}

/** Each worker reports when it ended. Trees are created while the planner works, which takes as long as a worker. */
async function timeWorkers(folder: string, isolate: boolean): Promise<WorkersTime> {
  const { scriptedAgent } = await import("../../src/testing/scripted-agent.ts");
  const { runRalph } = await import("../harness/ralph-run.ts");
  const ids = Array.from({ length: workers }, (_, i) => String(i + 1));
  const tasks = ids.map((id) => ({ id, title: `Task ${id}`, blockedBy: [] }));
  const stamps = join(folder, isolate ? "apart" : "together");
  mkdirSync(stamps);
  const stamp = (name: string) => ({ bash: `date +%s%N > ${stamps}/${name}`, expect: 0 });
  const plan = { say: JSON.stringify({ tasks }) };
  const client = scriptedAgent(
    [
      { agent: "planner", steps: [{ waitMs: turnMs }, stamp("planned"), plan] },
      ...ids.map((id) => ({
        ...{ agent: "worker", task: id },
        steps: [
          { waitMs: turnMs },
          { write: { path: `src/${id}/made-${id}.txt`, content: `${id}\n` } },
          stamp(id),
          { say: "done" },
        ],
      })),
    ],
    { env: { PATH: "/usr/bin:/bin" } },
  );
  const { status, message } = await runRalph({
    ...{ folder, client, prompt: "Do it", maxIterations: 0 },
    options: { workers, isolate, land: "none" },
  });
  const endedAt = Date.now();
  await client.close();
  if (status !== "completed") throw new Error(`the run ended as ${status}: ${message}`);
  const at = (name: string): number => Number(readFileSync(join(stamps, name), "utf8")) / 1e6;
  const planned = at("planned");
  return { wholeMs: endedAt - planned, slowestMs: Math.max(...ids.map(at)) - planned };
}

function rows(measured: Measured): readonly Row[] {
  const figure = (name: string): number => measured.median("atomic", name);
  const landing = figure("landingNs");
  if (!Number.isFinite(landing)) return [];
  const whole = figure("apartMs") / (figure("slowestMs") + landing / 1e6);
  const times = ["apartMs", "togetherMs", "slowestMs"].map((name) => duration(figure(name) * 1e6));
  return [
    atMost("A work tree of 20,000 files: CPU, against `git worktree add`", figure("treeRatio"), 1.1),
    shown("`git worktree add` there: CPU", duration(figure("bareNs"))),
    atMost("A landing there, without checks: CPU", landing, 4e8, duration),
    atMost("The same after 50 landings, against after 10", figure("growth"), 1.2),
    atMost("8 workers on files of their own, 30 s each: time, against the slowest and its landing", whole, 1.15),
    atMost("The same: time, against 8 workers in one folder", figure("apartMs") / figure("togetherMs"), 1.15),
    shown("The same: time in trees, in one folder, and of the slowest turn in trees", times.join(", ")),
    atMost("Work trees at any moment of it", figure("most"), workers, String),
    shown("The same: from the end of the run until its trees are gone", duration(figure("removedMs") * 1e6)),
  ];
}

function shown(work: string, text: string): Row {
  return { work, target: "", measured: text, isMet: undefined };
}

export default defineBench({
  title: "Work trees and landing",
  part: "isolation",
  unit: "task",
  rounds: { full: 3, quick: 1 },
  subjects: { atomic: { onlyOn: "bun", measure } },
  rows,
});
