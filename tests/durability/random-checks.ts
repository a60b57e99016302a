// What must hold for any graph, whatever finishes first and wherever it is killed. Each check throws what differs.

import { deepStrictEqual, ok } from "node:assert/strict";
import { AtomicError } from "../../src/lib/errors.ts";
import { buildGraph } from "./random-graph.ts";
import { type Ran, runId, type RunOptions, runRandom } from "./random-run.ts";
import type { GraphSpec } from "./random-spec.ts";
import type { World } from "./random-state.ts";
import { mulberry32, Scheduler } from "./scheduler.ts";
import { recordedKeys, recordedWarnings, recordedWinners, storeOf, type Written } from "./tape.ts";

/** False for what the validation refuses, which is not what is tested here. */
export function isValid(spec: GraphSpec): boolean {
  const world: World = { scheduler: new Scheduler(0), ran: [], failures: new Map() };
  try {
    buildGraph(spec, world);
    return true;
  } catch (error) {
    if (AtomicError.is(error, "GRAPH_INVALID")) return false;
    throw error;
  }
}

/** A run to compare others with; undefined when it has no end. */
export async function baseline(spec: GraphSpec, options: RunOptions): Promise<Ran | undefined> {
  const ran = await runRandom(spec, options);
  if (ran.error?.includes("STEP_LIMIT") === true) return undefined;
  checkOnce(ran);
  // The run only paused for answers, and what works beside a question is waited for.
  deepStrictEqual(duplicatesOf(ran.ran.filter(isStep)), [], "a step ran twice although nothing was killed");
  return ran;
}

function isStep(key: string): boolean {
  return /#\d+:[^/#]+$/.test(key);
}

/** No visit is recorded twice. */
function checkOnce(ran: Ran): void {
  deepStrictEqual(duplicatesOf(ran.keys), [], "recorded twice");
  deepStrictEqual(duplicatesOf(recordedWarnings(ran.tape)), [], "warned of twice");
}

/** Another order gives the same end, unless another branch won somewhere. */
export async function checkOtherOrder(spec: GraphSpec, first: Ran, options: RunOptions): Promise<boolean> {
  const other = await runRandom(spec, options);
  checkOnce(other);
  return sameEnd(first, other);
}

export interface Cut {
  /** How much of the tape survives. */
  readonly at: number;
  readonly withSnapshots: boolean;
}

/** What a killed process left is resumed to the same end, and nothing recorded runs again. */
export async function checkResume(spec: GraphSpec, live: Ran, cut: Cut, options: RunOptions): Promise<Ran> {
  const left = live.tape.slice(0, cut.at);
  const from = await storeOf(runId, left, cut);
  const resumed = await runRandom(spec, { ...options, from, failures: failuresOf(left) });
  const recorded = new Set(recordedKeys(left));
  deepStrictEqual(
    resumed.ran.filter((key) => recorded.has(key)),
    [],
    "ran again although it was recorded",
  );
  const tape = [...left, ...resumed.tape];
  const whole: Ran = {
    ...resumed,
    tape,
    keys: recordedKeys(tape),
    winners: { ...recordedWinners(left), ...resumed.winners },
  };
  checkOnce(whole);
  sameEnd(live, whole);
  return whole;
}

/** How often the flaky nodes have failed already: kept when a process is killed. */
export function failuresOf(left: readonly Written[]): Map<string, number> {
  const failures = new Map<string, number>();
  for (const written of left) {
    if (written.kind !== "append") continue;
    for (const event of written.events) {
      if (event.type !== "node.failed" || event["retryAt"] === undefined) continue;
      const key = event["key"] as string;
      failures.set(key, (failures.get(key) ?? 0) + 1);
    }
  }
  return failures;
}

/** False when they can't be compared: another branch won. */
function sameEnd(expected: Ran, actual: Ran): boolean {
  const winners = new Set([...Object.keys(expected.winners), ...Object.keys(actual.winners)]);
  for (const key of winners) if (expected.winners[key] !== actual.winners[key]) return false;
  ok(!(actual.error ?? "").includes("Atomic has a bug"), actual.error ?? "");
  deepStrictEqual(
    actual.status,
    expected.status,
    `${actual.error ?? "no error"}, instead of: ${expected.error ?? "none"}`,
  );
  // Of several failures that nothing handles, the first one ends the run.
  if (expected.status === "failed") return true;
  deepStrictEqual(actual.state, expected.state);
  if (winners.size === 0) {
    deepStrictEqual(actual.keys.toSorted(), expected.keys.toSorted());
    deepStrictEqual(recordedWarnings(actual.tape).toSorted(), recordedWarnings(expected.tape).toSorted());
  }
  return true;
}

function duplicatesOf(keys: readonly string[]): string[] {
  const seen = new Set<string>();
  return keys.filter((key) => seen.has(key) || !seen.add(key));
}

/** Every cut of a tape, or this many of them, chosen by a seed. */
export function cutsOf(tape: readonly Written[], most: number, seed: number): Cut[] {
  const all: Cut[] = [];
  // The first append is the run's own start: before it there is nothing to resume.
  const first = tape.findIndex(({ kind }) => kind === "append") + 1;
  for (let at = first; at < tape.length; at++) {
    const hasSnapshots = tape.slice(0, at).some(({ kind }) => kind === "snapshot");
    if (hasSnapshots) all.push({ at, withSnapshots: true });
    all.push({ at, withSnapshots: false });
  }
  const random = mulberry32(seed);
  while (all.length > most) all.splice(Math.floor(random() * all.length), 1);
  return all;
}
