// The whole ralph matrix, or a sample of it: which kills there are, and what counts as a failure.

import { deepStrictEqual, ok } from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileFlags } from "../../../scripts/build-single-file.ts";
import { mustRun } from "../../../scripts/run-command.ts";
import type { Kills } from "../../durability/matrix/cell.ts";
import { type RalphEnd, runRalphCell } from "./cell.ts";
import type { Scenario } from "./scenarios.ts";

/** Workers at the same time store what they did in one record or in several, so a late kill may find no process. */
const looseWrites = 8;

/** The command line with a store that kills, compiled into one file: it is started thousands of times. */
export class HostProgram {
  readonly #folder: string;
  readonly words: readonly string[];

  private constructor(folder: string, file: string) {
    this.#folder = folder;
    this.words = [file];
  }

  static async build(): Promise<HostProgram> {
    const folder = mkdtempSync(join(tmpdir(), "atomic-ralph-host-"));
    const outfile = join(folder, "host");
    const source = join(import.meta.dir, "host.ts");
    await mustRun([process.execPath, "build", ...compileFlags, "--bytecode", `--outfile=${outfile}`, source], {
      cwd: import.meta.dir,
    });
    return new HostProgram(folder, outfile);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Every write of the run, killed right before and right after it; and once more during the resume. */
export function everyRalphKill(expected: RalphEnd): Kills[] {
  const all: Kills[] = [];
  // Once it is on record that a run failed, resuming it tries again what failed: another end, and the right one. The
  // write before the last one says so.
  const last = expected.same.exitCode === 0 ? expected.writes : expected.writes - 2;
  for (let write = 1; write <= last; write++) {
    for (const when of ["before", "after"] as const) all.push([{ write, when }]);
  }
  if (last < expected.writes) all.push([{ write: last + 1, when: "before" }]);
  for (let write = 2; write < last; write += 2) {
    const second = 1 + (write % Math.min(7, Math.max(expected.writes - write, 3)));
    all.push([
      { write, when: "after" },
      { write: second, when: write % 4 === 0 ? "before" : "after" },
    ]);
  }
  return all;
}

/** Returns what is wrong, or undefined. */
export async function ralphProblem(
  scenario: Scenario,
  kills: Kills,
  expected: RalphEnd,
  program: readonly string[],
): Promise<string | undefined> {
  try {
    const end = await runRalphCell(scenario, kills, program);
    deepStrictEqual(end.same, expected.same);
    ok(end.kills === kills.length || isLate(kills, expected), "it ended before it could be killed");
    ok(end.turns >= expected.turns, `only ${end.turns} of ${expected.turns} turns were counted`);
    ok(end.turns <= expected.turns + end.repeated, `${end.turns} turns were counted, ${end.repeated} were repeated`);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isLate(kills: Kills, expected: RalphEnd): boolean {
  return kills.some((kill) => !("write" in kill) || kill.write > expected.writes - looseWrites) || kills.length > 1;
}
