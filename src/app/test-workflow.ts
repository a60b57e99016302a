// Runs a workflow on a script: twice as it is, and then once for each record of its journal, ended there and resumed.
// What a crash may change is nothing; what already differs between two whole runs (times, random ids) is not compared.

import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { SessionStore } from "../workflows/sessions/session-store.ts";
import { CrashStore } from "./crash-store.ts";
import type { RunProject } from "./run-project.ts";
import { createRunStarter, type RunResult, type RunStarterOptions, type StartRequest } from "./runs-start.ts";
import { readStartFacts } from "./start-facts.ts";

export interface CrashTrial {
  /** The record after which it was ended. */
  readonly after: number;
  /** What came out differently; absent when nothing did. */
  readonly problem?: string | undefined;
}

export interface WorkflowTest {
  readonly result: RunResult;
  readonly records: number;
  /** Empty when the workflow does not even come to an end without a crash. */
  readonly trials: readonly CrashTrial[];
}

export interface WorkflowTestOptions {
  readonly host: Omit<RunStarterOptions, "store">;
  /** The run, as it would be started; its project's folder is replaced by one of each trial's own. */
  readonly request: Omit<StartRequest, "project">;
  readonly project: RunProject;
  /** Copied for each trial; absent: each starts in an empty folder. */
  readonly folder?: string | undefined;
  readonly onTrial?: ((trial: CrashTrial, records: number) => void) | undefined;
}

export async function testWorkflow(options: WorkflowTestOptions): Promise<WorkflowTest> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-test-")));
  try {
    const first = await runWhole(options, join(root, "first"));
    const { result, records } = first;
    if (result.status === "failed" || result.status === "cancelled") return { result, records, trials: [] };
    const second = await runWhole(options, join(root, "second"));
    const ignored = new Set(differences(first.outcome, second.outcome).map(({ path }) => path));
    const trials: CrashTrial[] = [];
    for (let after = 1; after < records; after++) {
      const place = join(root, String(after));
      const problem = await problemOf(options, place, after, first.outcome, ignored);
      rmSync(place, { recursive: true, force: true });
      trials.push({ after, ...(problem === undefined ? {} : { problem }) });
      options.onTrial?.({ after, problem }, records);
    }
    return { result, records, trials };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

interface Whole {
  readonly result: RunResult;
  readonly records: number;
  readonly outcome: JsonObject;
}

async function runWhole(options: WorkflowTestOptions, place: string): Promise<Whole> {
  const store = new CrashStore({ dir: join(place, "sessions"), after: Number.POSITIVE_INFINITY });
  const project = projectIn(options, place);
  const result = await createRunStarter({ ...options.host, store }).start({ ...options.request, project });
  return { result, records: store.records, outcome: outcomeOf(result, place) };
}

async function problemOf(
  options: WorkflowTestOptions,
  place: string,
  after: number,
  expected: JsonObject,
  ignored: ReadonlySet<string>,
): Promise<string | undefined> {
  const dir = join(place, "sessions");
  const project = projectIn(options, place);
  const { host, request } = options;
  let run = "";
  const crashing = createRunStarter({
    ...host,
    store: new CrashStore({ dir, after }),
    newId: () => (run = host.newId()),
  });
  let result: RunResult;
  try {
    // It may come to its end before: events that wait for company are not grouped the same way each time.
    result = await crashing.start({ ...request, project }).catch(async (crash: unknown) => {
      if (!AtomicError.is(crash, "JOURNAL_WRITE_FAILED")) throw crash;
      const store = new SessionStore({ dir });
      const facts = await readStartFacts(run, store.read(run));
      return createRunStarter({ ...host, store }).resume({ ...request, project, facts });
    });
  } catch (error) {
    if (!AtomicError.is(error)) throw error;
    return `it can't be resumed: ${error.message}`;
  }
  const [difference] = differences(expected, outcomeOf(result, place)).filter(({ path }) => !ignored.has(path));
  return difference === undefined ? undefined : `${difference.path} ${difference.text}`;
}

function projectIn({ project, folder }: WorkflowTestOptions, place: string): RunProject {
  const cwd = join(place, "work");
  mkdirSync(cwd, { recursive: true });
  if (folder !== undefined) cpSync(folder, cwd, { recursive: true });
  return { ...project, cwd };
}

/** What must be the same, with the trial's own folders taken out. */
function outcomeOf(result: RunResult, place: string): JsonObject {
  const { status, reason = null, message = null, state, run } = result;
  const text = JSON.stringify({ status, reason, message, state }).replaceAll(place, "…").replaceAll(run, "RUN");
  return JSON.parse(text) as JsonObject;
}

interface Difference {
  readonly path: string;
  readonly text: string;
}

/** The places at which two values differ, the deepest that can be named. */
function differences(a: Json | undefined, b: Json | undefined, path = ""): readonly Difference[] {
  if (isTree(a) && isTree(b) && Array.isArray(a) === Array.isArray(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].flatMap((key) =>
      differences((a as JsonObject)[key], (b as JsonObject)[key], path === "" ? key : `${path}.${key}`),
    );
  }
  const [before, after] = [JSON.stringify(a), JSON.stringify(b)];
  return before === after ? [] : [{ path, text: `is ${short(after)}, and ${short(before)} without the crash` }];
}

function isTree(value: Json | undefined): value is JsonObject | readonly Json[] {
  return typeof value === "object" && value !== null;
}

function short(text: string | undefined): string {
  if (text === undefined) return "missing";
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
