// Runs, as every front end sees them: start, resume, pause, answer, list, follow, remove. The truth is each run's
// journal; nothing here keeps state.

import { existsSync } from "node:fs";
import { AtomicError } from "../lib/errors.ts";
import { Git } from "../workflows/git/git.ts";
import type { VerifiedEvidence } from "../workflows/worktrees/verify-evidence.ts";
import { type RequirementEvidence, runEvidence } from "./run-evidence.ts";
import { verifyRun } from "./verify-run.ts";
import { type Delivery, landRun } from "../workflows/worktrees/land-run.ts";
import { removeRun } from "../workflows/worktrees/remove-run.ts";
import { copyRunRefs } from "../workflows/git/copy-run-refs.ts";
import { type RunFork, forkRun } from "../workflows/sessions/fork-run.ts";
import type { StartParams, TaskSource, WorkflowDefinition } from "../workflows/definition.ts";
import { isProblemOfRun, type RunStore } from "../workflows/sessions/run-store.ts";
import { readRun } from "../workflows/sessions/view-snapshot.ts";
import { type EarlierWork, findEarlierWork } from "./earlier-work.ts";
import { mayBeRunning } from "./run-status.ts";
import type { RunPage } from "./run-page.ts";
import { createRunReader, type RunReader } from "./runs-read.ts";
import { createRunRequests, type RunRequests } from "./runs-requests.ts";
import { createRunStarter, type RunStarter, type RunStarterOptions } from "./runs-start.ts";
import { openSandbox } from "./run-sandbox.ts";
import { readStartFacts, type StartFacts } from "./start-facts.ts";

export interface RemovedRun {
  readonly id: string;
  /** What of the repository could not be removed. */
  readonly problem: string | undefined;
}

export interface Runs extends RunStarter, RunReader, RunRequests {
  /** How it was started: what `resume` needs. Throws RUN_ID_INVALID, RUN_NOT_FOUND or JOURNAL_CORRUPT. */
  startFacts(id: string): Promise<StartFacts>;
  /**
   * A new run with the first events of this one, to be resumed. `from`: a node (right before its last visit), a visit, or
   * the number of the last event to keep. Throws USAGE for a point that it does not have, or at which it was over.
   */
  fork(id: string, request: ForkRunRequest): Promise<RunFork>;
  /** Asks the workflow whether such a run can work, and looks for earlier runs of the same tasks. Makes no run. */
  prepareStart(request: PrepareRequest): Promise<StartPreparation>;
  /** Removes the run, and what it kept in the repository of its folder. RUN_OWNED while another process runs it. */
  remove(id: string): Promise<RemovedRun>;
  /**
   * Delivers what has landed, or the work of these tasks, into the folder of the run. Throws RUN_OWNED while it runs, and
   * USAGE when there is nothing of that kind.
   */
  land(id: string, tasks: readonly string[]): Promise<Delivery>;
  /** What was checked for each task, and whether the folder still holds what was checked. */
  evidence(id: string): Promise<readonly RequirementEvidence[]>;
  /** Runs every check that passed again, on the tree that it passed on. Throws RUN_OWNED while the run runs. */
  verify(id: string, signal: AbortSignal): AsyncIterable<VerifiedEvidence>;
}

export interface ForkRunRequest {
  readonly from: string;
  /** The new run's id. */
  readonly into: string;
  /** `--trust`: also a run that another user left where this user's runs are kept. */
  readonly isTrustedForThisRun?: boolean | undefined;
}

export interface PrepareRequest extends StartParams {
  readonly definition: WorkflowDefinition;
}

export interface StartPreparation {
  readonly tasks?: TaskSource | undefined;
  /** Undefined also where the user said what to do about it and it changes nothing. */
  readonly earlier?: EarlierWork | undefined;
}

export function createRuns(options: RunStarterOptions): Runs {
  const { store, clock, redact } = options;
  const reader = createRunReader(store, clock);
  const reap = async (run: string): Promise<void> => {
    if (options.isOwn?.(run) !== false) await options.reap(store.folder(run).processes);
  };
  return {
    ...createRunStarter(options),
    ...reader,
    ...createRunRequests({ store, reader, clock, redact, reap }),
    async prepareStart({ definition, ...params }) {
      const tasks = (await definition.beforeStart?.(params))?.tasks;
      if (tasks === undefined || tasks.earlierWork === "redo") return { tasks };
      return { tasks, earlier: await findEarlierWork({ store, reader }, { workflow: definition.name, source: tasks }) };
    },
    startFacts: (id) => readFacts(store, id),
    async fork(written, request) {
      const { id: run } = store.folder(written);
      const { cwd } = await readFacts(store, run);
      return forkRun(store, { run, from: request.from, into: request.into }, async ({ head }) => {
        if (existsSync(cwd)) await copyRunRefs(cwd, { from: run, into: request.into, head });
      });
    },
    async remove(written) {
      const { id } = store.folder(written);
      const cwd = await folderOf(store, id);
      await store.remove(id);
      // A record that someone else left may name any folder.
      const isOwn = options.isOwn?.(id) !== false;
      const left = isOwn && cwd !== undefined && existsSync(cwd) ? await removeRun(cwd, id) : undefined;
      return { id, problem: left?.problem };
    },
    async land(written, tasks) {
      const plan = await stoppedPlan(await reader.page(written));
      store.working.add(plan.run);
      return landRun(plan, tasks);
    },
    async evidence(written) {
      const { view } = await reader.page(written);
      return runEvidence(view, options.isOwn?.(view.id) !== false);
    },
    async *verify(written, signal) {
      const page = await reader.page(written);
      const { view, folder } = page;
      const plan = await stoppedPlan(page);
      store.working.add(plan.run);
      const events = reader.events(view.id);
      const { sandbox: mode } = await readFacts(store, view.id);
      const place = { cwd: view.cwd, sessionDir: folder.dir };
      const sandbox = await openSandbox(options.makeSandbox, mode, { ...place, treesDir: plan.dir });
      try {
        yield* verifyRun({ ...place, events, plan, clock, signal, sandbox });
      } finally {
        await sandbox?.close();
      }
    },
  };
}

/** Where its work trees are. Throws RUN_OWNED while it runs: they are its own then. */
async function stoppedPlan({ view, status, folder }: RunPage) {
  if (mayBeRunning(status))
    throw new AtomicError("RUN_OWNED", `Run ${view.id} is running. Wait until it ends, or pause it first.`);
  return { run: view.id, top: await topOf(view.cwd), dir: `${folder.dir}/trees`, processesDir: folder.processes };
}

async function topOf(cwd: string): Promise<string> {
  const found = existsSync(cwd) ? await Git.atTop(cwd) : undefined;
  if (found !== undefined && "top" in found) return found.top;
  throw new AtomicError(
    "USAGE",
    `${cwd} is not in a git repository that can be used${found === undefined ? "" : `: ${found.problem}`}.`,
  );
}

/** Undefined when its record does not say: it can still be removed. */
async function folderOf(store: RunStore, id: string): Promise<string | undefined> {
  try {
    return (await readFacts(store, id)).cwd;
  } catch (thrown) {
    if (isProblemOfRun(thrown)) return undefined;
    throw thrown;
  }
}

async function readFacts(store: RunStore, written: string): Promise<StartFacts> {
  const { id } = store.folder(written);
  return readStartFacts(id, (await readRun(store, id)).starts);
}
