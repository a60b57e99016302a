// A sample of the landing matrix. `npm run matrix:landing` takes every call of git and 200 random moments;
// ATOMIC_LANDING_KILLS and ATOMIC_LANDING_RANDOM choose how many, ATOMIC_LANDING_SEED which.

import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { inParallel } from "../durability/matrix/matrix.ts";
import { mulberry32 } from "../durability/scheduler.ts";
import { type LandingCell, type LandingKill, runLandingCell } from "./landing-kills.ts";

const random = mulberry32(Number(process.env["ATOMIC_LANDING_SEED"] ?? 1));
const wantedKills = process.env["ATOMIC_LANDING_KILLS"] ?? "2";
const randomKills = Number(process.env["ATOMIC_LANDING_RANDOM"] ?? 1);
const isReported = wantedKills !== "2";
const patienceMs = 8 * 3_600_000;

test(
  "workers in separate trees, killed at calls of git and resumed: each task lands once, and nothing is left",
  async () => {
    const whole = await runLandingCell({ land: "tree", kills: [] });
    expect(whole.problems).toEqual([]);
    const all: LandingKill[] = Array.from({ length: whole.calls }, (_, i) => i + 1).flatMap((call) =>
      (["before", "during", "after"] as const).map((when) => ({ call, when })),
    );
    const chosen =
      wantedKills === "all"
        ? shuffled(all)
        : Array.from({ length: Number(wantedKills) }, () => all[Math.floor(random() * all.length)] as LandingKill);
    const cells = chosen.map((kill, i): LandingCell => ({ land: i % 3 === 0 ? "none" : "tree", kills: [kill] }));
    expect(await failures(cells)).toEqual([]);
  },
  patienceMs,
);

test(
  "workers in separate trees, killed at random moments and resumed: each task lands once, and nothing is left",
  async () => {
    const started = performance.now();
    expect((await runLandingCell({ land: "tree", kills: [] })).problems).toEqual([]);
    // How long a run takes differs tenfold between machines: a fixed span would miss the run, or only its start.
    const undisturbedMs = performance.now() - started;
    const kill = (): LandingKill => ({ afterMs: Math.floor(random() * undisturbedMs) });
    const cells = Array.from({ length: randomKills }, (_, i): LandingCell => ({
      land: i % 2 === 0 ? "tree" : "none",
      kills: [kill(), kill()],
    }));
    expect(await failures(cells)).toEqual([]);
  },
  patienceMs,
);

/** A part of a run that was stopped is a sample of every phase. */
function shuffled(kills: readonly LandingKill[]): readonly LandingKill[] {
  const ranked = kills.map((kill) => ({ kill, rank: random() }));
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ kill }) => kill);
}

/** Each cell that went wrong, with what was. */
async function failures(cells: readonly LandingCell[]): Promise<readonly string[]> {
  const failed: string[] = [];
  let killed = 0;
  let done = 0;
  await inParallel(cells, isReported ? availableParallelism() + 1 : 1, async (cell) => {
    const end = await runLandingCell(cell);
    killed += end.killed;
    const what = `${JSON.stringify(cell)} at ${end.at.join(", ")}`;
    if (end.problems.length > 0) failed.push(`${what}: ${end.problems.join("; ")}`);
    report(`${++done}/${cells.length} ${what}: ${end.killed} killed ${end.problems.join("; ") || "ok"}`);
  });
  report(`${cells.length} runs, ${killed} kills, ${failed.length} failures`);
  return failed;
}

/** Progress of a matrix that takes many minutes. */
function report(line: string): void {
  if (isReported) process.stderr.write(`${line}\n`);
}
