// Runs a workflow, then again for each record of its journal with a crash right after it, resumes it, and compares the
// result with that of a run without a crash. So it finds what a workflow does outside its state and its steps.

import type { StoredEvent } from "../journal/port.ts";
import { AtomicError, messageOf } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import type { CompiledGraph } from "../workflows/graph/compile/compiled-graph.ts";
import type { ExecuteOptions, ExecutionResult } from "../workflows/graph/run/execute-options.ts";
import { executeGraph } from "../workflows/graph/run/execute.ts";
import type { Runtime } from "../workflows/graph/model/runtime.ts";
import { CrashingStore } from "./crashing-store.ts";
import { firstDifference } from "./first-difference.ts";

export interface CrashOptions<S extends object> extends Pick<
  ExecuteOptions<S>,
  "initialState" | "answers" | "questions" | "maxSteps" | "graceMs"
> {
  /** A function is called for each process, so that a resumed run gets nothing that the crashed one kept in memory. */
  readonly runtime?: Partial<Runtime> | (() => Partial<Runtime> | Promise<Partial<Runtime>>) | undefined;
  /** Called before each new run, to restore what it starts from: an empty folder, a fresh script. */
  readonly setUp?: (() => void | Promise<void>) | undefined;
  /** Keys of the state that may differ, because they hold times or random ids. */
  readonly ignore?: readonly string[] | undefined;
}

export interface CrashFailure {
  /** The crash came after this record, counted from 1. */
  readonly record: number;
  /** The last record: `node.finished review#1`. */
  readonly after: string;
  /** It was resumed from a snapshot, not by replaying all of its records. */
  readonly hadSnapshots: boolean;
  /** What is different, or what was thrown. */
  readonly problem: string;
}

export interface CrashReport {
  /** How the workflow ends without a crash. */
  readonly status: ExecutionResult<object>["status"];
  /** How many records it writes. */
  readonly records: number;
  readonly failures: readonly CrashFailure[];
}

const runId = "crash-everywhere";

/** Events between two snapshots: at almost every record, and never. */
const oftenAndNever = [3, Number.MAX_SAFE_INTEGER] as const;

/** Throws CRASH_DIFFERS, naming the records and the differences, unless every crashed run ends the same way. */
export async function crashEverywhere<S extends object>(
  workflow: CompiledGraph<S>,
  options: CrashOptions<S> = {},
): Promise<CrashReport> {
  const report = await findCrashFailures(workflow, options);
  const [first] = report.failures;
  if (first === undefined) return report;
  const count = report.failures.length;
  const lines = report.failures
    .slice(0, 5)
    .map(({ record, after, problem }) => `  after record ${record} (${after}): ${problem}`);
  if (count > lines.length) lines.push(`  … and ${count - lines.length} more`);
  throw new AtomicError(
    "CRASH_DIFFERS",
    `The workflow ended differently after ${count} of ${report.records - 1} crashes:\n${lines.join("\n")}\n` +
      "A node runs again if its end was not recorded. Move what it reads besides its state (the time, a counter, a file it " +
      "changed itself) into ctx.step, which runs once.",
    { details: { ...report } },
  );
}

/** The same, but returns the differences in a report instead of throwing. */
export async function findCrashFailures<S extends object>(
  workflow: CompiledGraph<S>,
  options: CrashOptions<S> = {},
): Promise<CrashReport> {
  const store = new CrashingStore();
  await options.setUp?.();
  const expected = await run({ workflow, options, snapshotEvery: Number.MAX_SAFE_INTEGER }, store, false);
  const failures: CrashFailure[] = [];
  // After the last record there is nothing left to resume.
  for (let record = 1; record < store.records; record++) {
    for (const snapshotEvery of oftenAndNever) {
      const problem = await crashAt(record, expected, { workflow, options, snapshotEvery });
      if (problem === undefined) continue;
      failures.push({ record, hadSnapshots: snapshotEvery === oftenAndNever[0], ...problem });
      break;
    }
  }
  return { status: expected.status, records: store.records, failures };
}

interface Subject<S extends object> {
  readonly workflow: CompiledGraph<S>;
  readonly options: CrashOptions<S>;
  readonly snapshotEvery: number;
}

async function crashAt<S extends object>(
  record: number,
  expected: End,
  subject: Subject<S>,
): Promise<Pick<CrashFailure, "after" | "problem"> | undefined> {
  const store = new CrashingStore();
  store.crashAfter(record);
  await subject.options.setUp?.();
  try {
    await run(subject, store, false);
  } catch (error) {
    if (!store.hasCrashed) return { after: await lastOf(store), problem: `it failed: ${messageOf(error)}` };
  }
  const after = await lastOf(store);
  if (!store.hasCrashed)
    return { after, problem: `it wrote ${store.records} records this time and ended before the crash` };
  store.restart();
  try {
    const actual = await run(subject, store, true);
    const problem = difference(expected, actual, subject.options.ignore) ?? (await repeatedIn(store));
    return problem === undefined ? undefined : { after, problem };
  } catch (error) {
    return { after, problem: `it could not be resumed: ${messageOf(error)}` };
  }
}

interface End {
  readonly status: ExecutionResult<object>["status"];
  readonly error: string | undefined;
  readonly state: Json;
  readonly questions: readonly string[];
}

async function run<S extends object>(subject: Subject<S>, store: CrashingStore, resume: boolean): Promise<End> {
  const { workflow, snapshotEvery } = subject;
  const { runtime, setUp: _, ignore: __, ...rest } = subject.options;
  const made = typeof runtime === "function" ? await runtime() : runtime;
  const { status, error, state, questions } = await executeGraph(workflow, {
    ...rest,
    snapshotEvery,
    runtime: { ...made, isStrict: true },
    journal: { store, run: runId, resume },
  });
  // The engine returns a state as JSON; its type is the author's.
  return { status, error: error?.message, state: state as object as Json, questions: questions.map(({ id }) => id) };
}

function difference(expected: End, actual: End, ignore: readonly string[] = []): string | undefined {
  if (expected.status !== actual.status) {
    const because = actual.error === undefined ? "" : `: ${actual.error}`;
    return `it ended ${actual.status} instead of ${expected.status}${because}`;
  }
  const ignored = new Set(["lastUpdated", ...ignore]);
  const comparable = (state: Json): Json =>
    Object.fromEntries(Object.entries(state as Record<string, Json>).filter(([key]) => !ignored.has(key)));
  return (
    firstDifference(comparable(expected.state), comparable(actual.state), "state") ??
    firstDifference(expected.error, actual.error, "its error") ??
    firstDifference(expected.questions.toSorted(), actual.questions.toSorted(), "its open questions")
  );
}

/** A visit that was recorded as done twice. */
async function repeatedIn(store: CrashingStore): Promise<string | undefined> {
  const done = new Set<string>();
  for await (const { type, key } of store.read(runId)) {
    if (type !== "node.finished" || typeof key !== "string") continue;
    if (done.has(key)) return `"${key}" was recorded as done and ran again`;
    done.add(key);
  }
  return undefined;
}

async function lastOf(store: CrashingStore): Promise<string> {
  let last: StoredEvent | undefined;
  for await (const event of store.read(runId)) last = event;
  if (last === undefined) return "nothing";
  return typeof last["key"] === "string" ? `${last.type} ${last["key"]}` : last.type;
}
