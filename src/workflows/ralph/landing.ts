// How a worker's work in its own tree lands in the run's head. The turn's commit is merged with what has landed,
// the checks run on the merged tree, in the worker's own folder, and one compare-and-swap lands it. Each phase is a
// recorded step, and doing one again gives the same commits: a kill anywhere loses nothing and lands nothing twice.

import { join } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { type Check, runChecks, verified } from "../checks/check.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { landingMessage } from "../worktrees/commit.ts";
import { type MergedWork, mergeWork, outcomeOf, type TakenWork, takeWork } from "../worktrees/land-work.ts";
import { moveHead } from "../worktrees/merge.ts";
import { removeForeign } from "../worktrees/discarded-trees.ts";
import { recoverTrees } from "../worktrees/recover.ts";
import { problemOf, readHead, type RunRepository } from "../worktrees/run-repository.ts";
import { taskRefName } from "../worktrees/run-refs.ts";
import { makeTreesAhead, neededAhead } from "../worktrees/trees-ahead.ts";
import { dropTree, ensureTree, nameTree, type TreeStart, type WorkTree } from "../worktrees/work-tree.ts";
import { checkPlace } from "./check-place.ts";
import { folderIn } from "./isolation.ts";
import { openForTrees } from "./set-up.ts";
import { LandingQueue } from "./landing-queue.ts";
import type { RalphState } from "./state.ts";
import type { OwnTrees } from "./work-places.ts";

/** `landed`: the commit is in the run's head. The others say why not. A type: it goes into the record as JSON. */
export type Landing = Omit<MergedWork, "checks"> & {
  readonly outcome: "landed" | "conflict" | "check-failed";
};

export interface WorkFolder {
  readonly cwd: string;
  /** Nothing of an earlier turn is in it. */
  readonly isNew: boolean;
}

export class Landings {
  readonly #context: ExecutionContext<RalphState>;
  readonly #isolation: OwnTrees;
  readonly #queue = new LandingQueue();
  readonly #starts = new Map<string, TreeStart>();
  #ahead: Promise<void> = Promise.resolve();

  constructor(context: ExecutionContext<RalphState>, isolation: OwnTrees) {
    this.#context = context;
    this.#isolation = isolation;
  }

  /** Once per process: what a killed one left is put in order. `open`: tasks that may have a tree. */
  async recover(open: readonly WorkflowTask[]): Promise<void> {
    const repository = await this.#open();
    const tasks = open.map(({ id }) => taskRefName(id));
    const most = Math.min(open.length, this.#context.state.settings.workers);
    await recoverTrees(repository, new Set([...tasks, ...neededAhead(repository, most)]));
    removeForeign(repository);
  }

  /** For tasks that are not ready yet. `most`: trees in all. */
  makeAhead(most: number): void {
    this.#ahead = this.#ahead.then(async () => {
      if (!this.#context.signal.aborted) await makeTreesAhead(await this.#open(), most);
    });
    // The next caller that needs a tree waits for it, and gets what it throws.
    this.#ahead.catch(() => undefined);
  }

  /** Nothing is made any more. */
  async settled(): Promise<void> {
    await this.#ahead;
  }

  /**
   * What the task's first tree holds: everything that has landed by then. The same for all its tries, whatever lands
   * meanwhile: its folder does not have that.
   */
  async firstStart(task: WorkflowTask): Promise<TreeStart> {
    const known = this.#starts.get(task.id);
    if (known !== undefined) return known;
    const head: string = await this.#context.step(`task ${task.id} start`, async () => readHead(await this.#open()));
    const start = { content: head, head };
    this.#starts.set(task.id, start);
    return start;
  }

  /** The folder for the worker, as it was left or new. */
  async folderFor(task: WorkflowTask, start: TreeStart): Promise<WorkFolder> {
    await this.#ahead;
    const tree = await ensureTree(await this.#open(), taskRefName(task.id), start);
    return { cwd: folderIn(tree, this.#isolation), isNew: tree.isNew };
  }

  /** Commits what is in the worker's tree. `conflicts`: files that it was to free of markers. */
  async take(task: WorkflowTask, start: TreeStart, conflicts: readonly string[]): Promise<TakenWork> {
    const at = this.#context.runtime.clock.now();
    const repository = await this.#open();
    const name = taskRefName(task.id);
    const message = landingMessage(repository.run, task);
    const keepDir = join(this.#context.state.sessionDir, "not-landed", name);
    const taken = await takeWork(repository, { name, start, message, at, keepDir, conflicts });
    const { notLanded = [] } = taken;
    if (notLanded.length > 0) this.#context.record({ type: "work.not-landed", task: task.id, files: notLanded });
    return taken;
  }

  /** `onEnd` is called inside the step that decides, so that what it emits is stored with it. */
  land(
    task: WorkflowTask,
    taken: { readonly name: string; readonly commit: string; readonly at: number; readonly start: TreeStart },
    commands: readonly string[],
    onEnd: (landing: Landing, checks: readonly Check[]) => void,
  ): Promise<{ readonly landing: Landing; readonly checks: readonly Check[] }> {
    return this.#queue.run(task.id, async () => {
      for (let round = 1; ; round++) {
        this.#context.signal.throwIfAborted();
        const { checks, ...merged }: MergedWork = await this.#context.step(`${taken.name} merge ${round}`, async () => {
          const work = await this.#merge(task, taken, commands);
          if (outcomeOf(work) !== "landed") onEnd({ ...work, outcome: outcomeOf(work) }, work.checks);
          return work;
        });
        const landing: Landing = { ...merged, outcome: outcomeOf({ ...merged, checks }) };
        if (landing.outcome !== "landed") return { landing, checks };
        const moved: string = await this.#context.step(`${taken.name} land ${round}`, async () => {
          const outcome = await moveHead(await this.#open(), { from: landing.head, to: landing.commit });
          if (outcome === "landed") {
            this.#context.record({ type: "task.landed", task: task.id, commit: landing.commit });
            onEnd(landing, checks);
          }
          return outcome;
        });
        if (moved === "landed") return { landing, checks };
      }
    });
  }

  /** Its tree is no longer needed: what is in it has landed, or is kept under the task's ref. */
  async done(task: WorkflowTask): Promise<void> {
    try {
      await dropTree(await this.#open(), taskRefName(task.id));
    } catch (thrown) {
      // The work is safe; a folder that can't be removed is reported, and tried again with the next process.
      if (!isSystemError(thrown) && !AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
      this.#context.record({ type: "worktree.left", task: task.id, problem: problemOf(thrown) });
    }
  }

  async #merge(
    task: WorkflowTask,
    { commit, at, start }: { readonly commit: string; readonly at: number; readonly start: TreeStart },
    commands: readonly string[],
  ): Promise<MergedWork> {
    const repository = await this.#open();
    const check = async (tree: WorkTree): Promise<readonly Check[]> => {
      const folder = { cwd: folderIn(tree, this.#isolation), nameTree: () => nameTree(tree) };
      const checks = await runChecks(commands, checkPlace(this.#context, task.id, folder));
      for (const each of checks) this.#context.record(verified(each, task.id));
      return checks;
    };
    const merged = await mergeWork(repository, {
      ...{ name: taskRefName(task.id), commit, at, start, message: landingMessage(repository.run, task) },
      check: commands.length === 0 ? undefined : check,
    });
    if (outcomeOf(merged) === "conflict")
      this.#context.record({ type: "landing.conflicted", task: task.id, files: merged.files });
    return merged;
  }

  #open(): Promise<RunRepository> {
    return openForTrees(this.#context, this.#isolation);
  }
}
