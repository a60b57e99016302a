// How a worker's work in a tree of its own comes into the run's head. The turn's commit is merged with what has landed,
// the checks run on the merged tree, in the worker's own folder, and one compare-and-swap lands it. Each phase is a
// recorded step, and doing one again gives the same commits: a kill anywhere loses nothing and lands nothing twice.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { type Check, hasPassed, runChecks, verified } from "../checks/check.ts";
import { checkPlace } from "./check-place.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { commitTree, landingMessage } from "../worktrees/commit.ts";
import { dropRef, keepWhole, mergeTrees, moveHead } from "../worktrees/merge.ts";
import { keepNotLanded, type NotLanded } from "../worktrees/not-landed.ts";
import { recoverTrees } from "../worktrees/recover.ts";
import { must, readHead, type RunRepository } from "../worktrees/run-repository.ts";
import { taskName } from "../worktrees/run-refs.ts";
import { ensureTree, findTree, removeTree, setTree, snapshotTree, type TreeStart } from "../worktrees/work-tree.ts";
import { folderIn } from "./isolation.ts";
import { openForTrees } from "./set-up.ts";
import { LandingQueue } from "./landing-queue.ts";
import type { RalphState } from "./state.ts";
import type { OwnTrees } from "./work-places.ts";

/** Types and not interfaces: they go into the record as JSON. */
export type TakenWork = {
  /** The task's commit after the turn; null when nothing could be committed. */
  readonly commit: string | null;
  readonly tree: string | null;
  /** Why the turn does not count although the agent's part went well. */
  readonly problem: string | null;
  /** When it was taken; the commits that follow from it carry this time. */
  readonly at: number;
  /** What the worker changed and what can't land. Older runs have none. */
  readonly notLanded?: readonly NotLanded[];
};

/** `landed`: the commit is in the run's head. The others say why not. */
export type Landing = {
  readonly outcome: "landed" | "conflict" | "check-failed";
  /** What had landed before. */
  readonly head: string;
  /** The merged commit; with markers in it when there is a conflict. */
  readonly commit: string;
  readonly files: readonly string[];
  readonly messages: readonly string[];
  /** Titles of what landed since the worker's tree was made. */
  readonly meanwhile: readonly string[];
};

type MergedWork = Omit<Landing, "outcome"> & { readonly checks: readonly Check[] };

export interface WorkFolder {
  readonly cwd: string;
  /** Nothing of an earlier turn is in it. */
  readonly isNew: boolean;
}

const mostTitles = 20;

export class Landings {
  readonly #context: ExecutionContext<RalphState>;
  readonly #isolation: OwnTrees;
  readonly #queue = new LandingQueue();

  constructor(context: ExecutionContext<RalphState>, isolation: OwnTrees) {
    this.#context = context;
    this.#isolation = isolation;
  }

  /** Once per process: what a killed one left is put in order. `open`: tasks that may have a tree. */
  async recover(open: readonly WorkflowTask[]): Promise<void> {
    await recoverTrees(await this.#open(), new Set(open.map(({ id }) => taskName(id))));
  }

  /** What the task's first tree holds: everything that has landed by then. */
  async firstStart(task: WorkflowTask): Promise<TreeStart> {
    const head: string = await this.#context.step(`task ${task.id} start`, async () => readHead(await this.#open()));
    return { content: head, head };
  }

  /** The folder for the worker, as it was left or new. */
  async folderFor(task: WorkflowTask, start: TreeStart): Promise<WorkFolder> {
    const tree = await ensureTree(await this.#open(), taskName(task.id), start);
    return { cwd: folderIn(tree, this.#isolation), isNew: tree.isNew };
  }

  /** Commits what is in the worker's tree. `conflicts`: files that it was to free of markers. */
  async take(task: WorkflowTask, start: TreeStart, conflicts: readonly string[]): Promise<TakenWork> {
    const at = this.#context.runtime.clock.now();
    const repository = await this.#open();
    const name = taskName(task.id);
    const tree = await findTree(repository, name, start);
    if (tree === undefined) return { commit: null, tree: null, at, problem: "its folder was removed during the turn" };
    try {
      const message = landingMessage(repository.run, task);
      let written = "";
      const commit = await keepWhole(repository, { known: start.head, ref: ["task", name] }, async () => {
        written = await snapshotTree(tree);
        return commitTree(tree.git, { tree: written, parent: start.head, message, at });
      });
      const dir = join(this.#context.state.sessionDir, "not-landed", name);
      const notLanded = await keepNotLanded(tree, { dir, task: name, message, at });
      if (notLanded.length > 0) this.#context.record({ type: "work.not-landed", task: task.id, files: notLanded });
      const marked = conflicts.filter((file) => hasMarkers(join(tree.folder, file)));
      const problem = marked.length === 0 ? null : `conflict markers are left in ${marked.join(", ")}`;
      return { commit, tree: written, at, problem, ...(notLanded.length > 0 && { notLanded }) };
    } catch (thrown) {
      if (!AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
      return { commit: null, tree: null, at, problem: `its work could not be committed: ${messageOf(thrown)}` };
    }
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
    const name = taskName(task.id);
    try {
      const repository = await this.#open();
      await removeTree(repository, name);
      await dropRef(repository, "merge", name);
    } catch (thrown) {
      // The work is safe; a folder that can't be removed is reported, and tried again with the next process.
      if (!isSystemError(thrown) && !AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
      this.#context.record({ type: "worktree.left", task: task.id, problem: messageOf(thrown) });
    }
  }

  async #merge(
    task: WorkflowTask,
    { commit, at, start }: { readonly commit: string; readonly at: number; readonly start: TreeStart },
    commands: readonly string[],
  ): Promise<MergedWork> {
    const repository = await this.#open();
    const name = taskName(task.id);
    const head = await readHead(repository);
    let files: readonly string[] = [];
    let messages: readonly string[] = [];
    let isClean = true;
    const merged = await keepWhole(repository, { known: head, ref: ["merge", name] }, async () => {
      const result = await mergeTrees(repository, head, commit);
      ({ files, messages } = result);
      isClean = files.length === 0 && messages.length === 0;
      const message = isClean ? landingMessage(repository.run, task) : `Conflicts of task ${task.id}\n`;
      return commitTree(repository.git, { tree: result.tree, parent: head, message, at });
    });
    const facts = { head, commit: merged, files, messages };
    if (!isClean) {
      const meanwhile = await titlesBetween(repository, start.head, head);
      const workTree = await ensureTree(repository, name, { content: merged, head });
      await setTree(workTree, merged, head);
      this.#context.record({ type: "landing.conflicted", task: task.id, files });
      return { ...facts, meanwhile, checks: [] };
    }
    if (commands.length === 0) return { ...facts, meanwhile: [], checks: [] };
    const workTree = await ensureTree(repository, name, { content: merged, head });
    await setTree(workTree, merged, head);
    const folder = { cwd: folderIn(workTree, this.#isolation), nameTree: () => snapshotTree(workTree) };
    const checks = await runChecks(commands, checkPlace(this.#context, task.id, folder));
    for (const check of checks) this.#context.record(verified(check, task.id));
    if (checks.every(hasPassed)) return { ...facts, meanwhile: [], checks };
    // What the checks themselves wrote is not the worker's.
    await setTree(workTree, merged, head);
    return { ...facts, meanwhile: await titlesBetween(repository, start.head, head), checks };
  }

  #open(): Promise<RunRepository> {
    return openForTrees(this.#context, this.#isolation);
  }
}

function outcomeOf({ files, messages, checks }: Omit<MergedWork, "meanwhile">): Landing["outcome"] {
  if (files.length > 0 || messages.length > 0) return "conflict";
  return checks.every(hasPassed) ? "landed" : "check-failed";
}

async function titlesBetween({ git }: RunRepository, from: string, to: string): Promise<readonly string[]> {
  const range = ["log", "--first-parent", `--max-count=${mostTitles}`, "--format=%s", `${from}..${to}`];
  return (await must(git, range)).split("\n").filter((title) => title !== "");
}

/** A file that is gone or unreadable has none. */
function hasMarkers(path: string): boolean {
  try {
    const text = readFileSync(path, "latin1");
    return /^<{7}(?: |\r?$)/m.test(text) && /^>{7}(?: |\r?$)/m.test(text);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}
