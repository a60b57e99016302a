// The whole kill matrix, or a sample of it: which cells there are, and running a few of them at a time.

import { deepStrictEqual } from "node:assert/strict";
import { mulberry32 } from "../scheduler.ts";
import { type CellOf, type Ended, type Kills, runCell, type StartChild } from "./cell.ts";
import type { StoreName } from "./child.ts";
import { matrixGraphs } from "./graphs.ts";

export const storeNames: readonly StoreName[] = ["sqlite", "files"];

/** Never, as far as these runs go; and at almost every record. */
const snapshotRates = [1_000_000, 3] as const;

export interface Job {
  readonly of: CellOf;
  readonly kills: Kills;
  readonly expected: Ended;
}

export interface Failure {
  readonly of: CellOf;
  readonly kills: Kills;
  readonly reason: string;
}

/** The rows and columns: each graph on each store, without and with snapshots. */
export function allCells(graphs: readonly string[] = Object.keys(matrixGraphs)): CellOf[] {
  return graphs.flatMap((graph) =>
    storeNames.flatMap((store) => snapshotRates.map((snapshotEvery) => ({ graph, store, snapshotEvery }))),
  );
}

/** The run without kills. */
export function undisturbed(of: CellOf, start: StartChild): Promise<Ended> {
  return runCell(of, [], start);
}

/** Every write of the run, killed right before and right after it; and once more during the resume. */
export function everyKill(of: CellOf, expected: Ended): Job[] {
  const jobs: Job[] = [];
  for (let write = 1; write <= expected.writes; write++) {
    for (const when of ["before", "after"] as const) {
      // The process has given the run back, and has nothing left to do.
      if (write === expected.writes && when === "after") continue;
      jobs.push({ of, expected, kills: [{ write, when }] });
    }
  }
  // Another place of the resume each time. It takes the run, records the resume, and continues: three writes at least.
  for (let write = 2; write < expected.writes; write++) {
    const second = 1 + (write % Math.min(6, Math.max(expected.writes - write, 3)));
    jobs.push({
      of,
      expected,
      kills: [
        { write, when: "after" },
        { write: second, when: write % 2 === 0 ? "before" : "after" },
      ],
    });
  }
  return jobs;
}

export function sample(jobs: readonly Job[], most: number, seed: number): Job[] {
  const left = [...jobs];
  const random = mulberry32(seed);
  const chosen: Job[] = [];
  while (chosen.length < most && left.length > 0) chosen.push(...left.splice(Math.floor(random() * left.length), 1));
  return chosen;
}

/** Returns the failure, or undefined. */
export async function runJob({ of, kills, expected }: Job, start: StartChild): Promise<Failure | undefined> {
  try {
    const { status, state, keys } = await runCell(of, kills, start);
    deepStrictEqual({ status, keys }, { status: expected.status, keys: expected.keys });
    if (state !== undefined) deepStrictEqual(state, expected.state);
    return undefined;
  } catch (error) {
    return { of, kills, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Runs `body` for each item, this many at a time, in order. */
export async function inParallel<T>(
  items: readonly T[],
  most: number,
  body: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) await body(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
}

export function describeCell({ graph, store, snapshotEvery }: CellOf): string {
  return `${graph} on ${store}${snapshotEvery < 100 ? " with snapshots" : ""}`;
}

export function describeKills(kills: Kills): string {
  return kills
    .map((kill) => ("write" in kill ? `${kill.when} write ${kill.write}` : `after ${kill.afterMs} ms`))
    .join(", then ");
}
