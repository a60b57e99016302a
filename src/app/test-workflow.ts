// Runs a workflow on a script: twice as it is, and then once for each record of its journal, ended there and resumed.
// A crash may change nothing; what already differs between two whole runs (times, random ids) is not compared. Each run
// works in a copy of the project's files, and is in that folder when its nodes ask for the current one.

import { cpSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import { removeFolder } from "../lib/remove-folder.ts";
import { makeTempFolder } from "../lib/temp-folder.ts";
import { createCrashStore } from "./crash-store.ts";
import { copyProjectFiles, listProjectFiles } from "./project-copy.ts";
import type { OpenRuns } from "./open-run-store.ts";
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
  /** Empty if the workflow does not finish even without a crash. */
  readonly trials: readonly CrashTrial[];
}

export interface WorkflowTestOptions {
  readonly host: Omit<RunStarterOptions, "store">;
  readonly openRuns: OpenRuns;
  /** The run, as it would be started; its project's folder is replaced by one of each trial's own. */
  readonly request: Omit<StartRequest, "project">;
  readonly project: RunProject;
  /** A folder to copy as it is; absent: the project's own files (project-copy.ts). */
  readonly folder?: string | undefined;
  /** Makes a folder the current one. */
  readonly enter: (folder: string) => void;
  readonly onTrial?: ((trial: CrashTrial, records: number) => void) | undefined;
}

export async function testWorkflow(options: WorkflowTestOptions): Promise<WorkflowTest> {
  // Before anything is made: the temporary folder may be inside the project.
  const files = options.folder === undefined ? await listProjectFiles(options.project.cwd) : undefined;
  const root = realpathSync(makeTempFolder("test"));
  const template = options.folder ?? join(root, "template");
  try {
    if (files !== undefined) await copyProjectFiles(files, template);
    return await runTrials(options, { root, template });
  } finally {
    options.enter(options.project.cwd);
    removeFolder(root);
  }
}

interface Folders {
  readonly root: string;
  /** What each run starts with. */
  readonly template: string;
}

async function runTrials(options: WorkflowTestOptions, { root, template }: Folders): Promise<WorkflowTest> {
  const isStopped = (): boolean => options.request.signal?.aborted === true;
  const placeOf = (name: string): Place => ({ dir: join(root, name), template });
  const first = await runWhole(options, placeOf("first"));
  const { result, records } = first;
  if (result.status === "failed" || result.status === "cancelled" || isStopped())
    return { result, records, trials: [] };
  const second = await runWhole(options, placeOf("second"));
  const ignored = new Set(differences(first.outcome, second.outcome).map(({ path }) => path));
  const trials: CrashTrial[] = [];
  for (let after = 1; after < records && !isStopped(); after++) {
    const place = placeOf(String(after));
    const problem = await problemOf(options, place, after, first.outcome, ignored);
    removeFolder(place.dir);
    if (isStopped()) break;
    trials.push({ after, ...(problem === undefined ? {} : { problem }) });
    options.onTrial?.({ after, problem }, records);
  }
  return { result, records, trials };
}

/** Where one run keeps its record and works. */
interface Place {
  readonly dir: string;
  readonly template: string;
}

interface Whole {
  readonly result: RunResult;
  readonly records: number;
  readonly outcome: JsonObject;
}

async function runWhole(options: WorkflowTestOptions, place: Place): Promise<Whole> {
  const runs = await options.openRuns({ dir: join(place.dir, "sessions") });
  const store = createCrashStore(runs, Number.POSITIVE_INFINITY);
  const project = projectIn(options, place);
  const result = await createRunStarter({ ...options.host, store }).start({ ...options.request, project });
  return { result, records: store.records, outcome: outcomeOf(result, place.dir) };
}

async function problemOf(
  options: WorkflowTestOptions,
  place: Place,
  after: number,
  expected: JsonObject,
  ignored: ReadonlySet<string>,
): Promise<string | undefined> {
  const dir = join(place.dir, "sessions");
  const project = projectIn(options, place);
  const { host, request } = options;
  let run = "";
  const crashing = createRunStarter({
    ...host,
    store: createCrashStore(await options.openRuns({ dir }), after),
    newId: () => (run = host.newId()),
  });
  let result: RunResult;
  try {
    // It may finish before: events are not grouped into the same writes each time.
    result = await crashing.start({ ...request, project }).catch(async (crash: unknown) => {
      if (!AtomicError.is(crash, "JOURNAL_WRITE_FAILED")) throw crash;
      const store = await options.openRuns({ dir });
      const facts = await readStartFacts(run, store.read(run));
      return createRunStarter({ ...host, store }).resume({ ...request, project, facts });
    });
  } catch (error) {
    if (!AtomicError.is(error)) throw error;
    return `it can't be resumed: ${error.message}`;
  }
  const [difference] = differences(expected, outcomeOf(result, place.dir)).filter(({ path }) => !ignored.has(path));
  return difference === undefined ? undefined : `${difference.path} ${difference.text}`;
}

/** The project in a separate copy, which is the current folder from here on. */
function projectIn({ project, enter }: WorkflowTestOptions, { dir, template }: Place): RunProject {
  const cwd = join(dir, "work");
  cpSync(template, cwd, { recursive: true, verbatimSymlinks: true });
  enter(cwd);
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
