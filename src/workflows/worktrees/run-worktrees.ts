// `ctx.worktree(name)` for authors: work trees of one run by name, made when they are first asked for. The base is the
// user's folder at that moment. What lands goes into the run's head; when the run is completed, that is delivered into
// the user's folder, what was left in a tree is kept under a ref, and the trees are removed.

import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { ProgramSandbox } from "../../agents/process/sandbox/program-sandbox.ts";
import { createSemaphore } from "../../agents/semaphore.ts";
import { writeFileAtomically } from "../../lib/atomic-file.ts";
import type { Clock } from "../../lib/clock.ts";
import { AtomicError } from "../../lib/errors.ts";
import { type Check, runChecks, verified } from "../checks/check.ts";
import type { CommandsInFile, WorktreeOptions } from "../definition.ts";
import { dropRunLocks } from "../git/drop-run-locks.ts";
import { readRepository } from "../git/git-status.ts";
import type { KeptWork, LandOptions, Worktree, WorktreeLanding, WorktreeVisit } from "../graph/model/worktree.ts";
import type { RunEnding } from "../graph/run/execute-options.ts";
import { makeBase } from "./base-commit.ts";
import { canIsolate } from "./can-isolate.ts";
import { listChanges } from "./changes.ts";
import { landingMessage } from "./commit.ts";
import { filtersInUse } from "./filtered-files.ts";
import { deliverCommit, type LandTarget, markDelivered } from "./land-run.ts";
import { mergeWork, outcomeOf, type TakenWork, takeWork } from "./land-work.ts";
import { moveHead } from "./merge.ts";
import { nestedNames } from "./nested-trees.ts";
import { recoverTrees, removeAllTrees } from "./recover.ts";
import {
  openRepository,
  readCommit,
  readHead,
  readRef,
  type RunRepository,
  treeError,
  type TreesPlan,
} from "./run-repository.ts";
import { isWorktreeName, runRef, worktreeName } from "./run-refs.ts";
import { runSetUp } from "./run-set-up.ts";
import { chooseSharedFolders } from "./shared-folders.ts";
import { treesDirOf } from "./trees-dir.ts";
import {
  conflictsIn,
  ensureTree,
  listTrees,
  nameTree,
  removeTree,
  setTree,
  startOf,
  type WorkTree,
  writeConflicts,
} from "./work-tree.ts";

export interface RunWorktreesOptions {
  readonly run: string;
  readonly cwd: string;
  readonly sessionDir: string;
  readonly processesDir: string;
  readonly worktrees: WorktreeOptions | undefined;
  readonly requireTrust: (found: CommandsInFile) => void;
  readonly clock: Clock;
  /** What checks and the set-up command run in. */
  readonly sandbox?: ProgramSandbox | undefined;
  readonly target: LandTarget;
}

/** In the run's folder, once there was a work tree: the run's end has something to do. */
const markFile = "worktrees.json";

/** What a step recorded: the commit, and what it was made on. */
type Taken = TakenWork & { readonly start: { readonly content: string; readonly head: string } };

interface Place {
  readonly plan: TreesPlan;
  /** The run's folder below the top of the repository. */
  readonly prefix: string;
}

export class RunWorktrees {
  readonly #options: RunWorktreesOptions;
  readonly #landing = createSemaphore(1);
  #place: Promise<Place> | undefined;

  constructor(options: RunWorktreesOptions) {
    this.#options = options;
  }

  async open(name: string, visit: WorktreeVisit): Promise<Worktree> {
    if (typeof name !== "string" || name.trim() === "")
      throw new AtomicError("BUILDER_MISUSE", `Node "${visit.node}": ctx.worktree needs a name.`);
    const { prefix } = await this.#start();
    const repository = await this.#repository(visit);
    const head = await readHead(repository);
    const tree = await ensureTree(repository, worktreeName(name), { content: head, head });
    const folder = folderIn(tree, prefix);
    return {
      ...{ name, folder, isNew: tree.isNew },
      land: (options) => this.#land(name, visit, options),
      keep: () => this.#keep(name, visit),
      remove: () => this.#remove(name, visit),
    };
  }

  /** By this process or an earlier one. */
  get wereUsed(): boolean {
    return existsSync(join(this.#options.sessionDir, markFile));
  }

  /** After the last node. Killed in the middle and called again, it continues. */
  async finish(ending: RunEnding): Promise<void> {
    if (!this.wereUsed) return;
    const { target } = this.#options;
    const visit: WorktreeVisit = { ...ending, node: "the end of the run" };
    const repository = await this.#repository(visit);
    for (const name of listTrees(repository).filter(isWorktreeName)) await this.#keepLeft(name, visit);
    const head: string = await ending.step("worktrees head", () => readHead(repository));
    const before = (await readRef(repository, "delivered")) ?? repository.base;
    if (head !== before) {
      const delivery = await ending.step("worktrees delivery", async () => {
        const made = await deliverCommit(repository, head, target);
        ending.record({ type: "work.delivered", ...made });
        return made;
      });
      await markDelivered(repository, delivery);
    }
    await removeAllTrees(repository, isWorktreeName);
  }

  #land(
    name: string,
    visit: WorktreeVisit,
    { message = name, verify = [] }: LandOptions = {},
  ): Promise<WorktreeLanding> {
    return this.#landing.run(async () => {
      const taken = await this.#take(name, visit, "take", message);
      const { commit, start, at, notLanded = [] } = taken;
      const facts = { commit: null, files: [], checks: [], notLanded: notLanded.map(({ file }) => file) };
      if (commit === null) throw treeError(`${name}: ${taken.problem ?? "its work could not be committed"}.`);
      if (taken.problem !== null) return { ...facts, outcome: "conflict", files: await this.#conflictsIn(name, visit) };
      const repository = await this.#repository(visit);
      if ((await listChanges(repository, { from: start.head, to: commit })).length === 0)
        return { ...facts, outcome: "unchanged" };
      for (;;) {
        visit.signal.throwIfAborted();
        const merged = await visit.step(`worktree ${name} merge`, async () => {
          const work = await mergeWork(repository, {
            ...{ name: worktreeName(name), commit, at, start },
            message: landingMessage(repository.run, { id: name, title: message }),
            check: verify.length === 0 ? undefined : (tree) => this.#check(tree, name, verify, visit),
          });
          if (outcomeOf(work) === "conflict") {
            writeConflicts(repository, worktreeName(name), work.files);
            visit.record({ type: "landing.conflicted", task: name, files: work.files });
          }
          return work;
        });
        const { files } = merged;
        const checks = merged.checks.map(({ command, exitCode, output }) => ({ command, exitCode, output }));
        const outcome = outcomeOf(merged);
        if (outcome !== "landed") return { ...facts, outcome, files, checks };
        const moved = await visit.step(`worktree ${name} land`, async () => {
          const how = await moveHead(repository, { from: merged.head, to: merged.commit });
          if (how !== "landed") return how;
          visit.record({ type: "task.landed", task: name, commit: merged.commit });
          writeConflicts(repository, worktreeName(name), []);
          // The next worker there continues on top of it.
          const tree = await ensureTree(repository, worktreeName(name), {
            content: merged.commit,
            head: merged.commit,
          });
          await setTree(tree, merged.commit, merged.commit);
          return how;
        });
        if (moved === "landed") return { ...facts, outcome: "landed", commit: merged.commit, checks };
      }
    });
  }

  async #keep(name: string, visit: WorktreeVisit): Promise<KeptWork> {
    const { commit, problem } = await this.#take(name, visit, "keep", name);
    if (commit === null) throw treeError(`${name}: ${problem ?? "its work could not be committed"}.`);
    return { commit, ref: runRef(this.#options.run, "task", worktreeName(name)) };
  }

  async #remove(name: string, visit: WorktreeVisit): Promise<void> {
    await removeTree(await this.#repository(visit), worktreeName(name));
  }

  #take(name: string, visit: WorktreeVisit, what: "take" | "keep", title: string): Promise<Taken> {
    return visit.step(`worktree ${name} ${what}`, async () => {
      const repository = await this.#repository(visit);
      const own = worktreeName(name);
      const start = startOf(repository, own);
      const message = landingMessage(repository.run, { id: name, title });
      const { clock, sessionDir } = this.#options;
      const keepDir = join(sessionDir, "not-landed", own);
      const conflicts = conflictsIn(repository, own);
      const taken = await takeWork(repository, { name: own, start, message, at: clock.now(), keepDir, conflicts });
      const { notLanded = [] } = taken;
      if (notLanded.length > 0) visit.record({ type: "work.not-landed", task: name, files: notLanded });
      return { ...taken, start: { ...start } };
    });
  }

  /** A tree that was never landed, or changed since: its files are work. */
  async #keepLeft(own: string, visit: WorktreeVisit): Promise<void> {
    const repository = await this.#repository(visit);
    const { sessionDir, clock, run } = this.#options;
    const start = startOf(repository, own);
    const keepDir = join(sessionDir, "not-landed", own);
    const message = landingMessage(run, { id: own, title: `Left in work tree ${own}` });
    const work = { name: own, start, message, at: clock.now(), keepDir, conflicts: [] };
    const { commit } = await takeWork(repository, work);
    if (commit === null) return;
    const changed = await listChanges(repository, { from: start.head, to: commit });
    if (changed.length === 0) return;
    const kept = `git show ${runRef(run, "task", own)}`;
    const files = changed.slice(0, maxNamed).map(({ name }) => ({
      ...{ file: Buffer.from(name, "latin1").toString("utf8"), kept },
      why: "it was left in a work tree",
    }));
    visit.record({ type: "work.not-landed", task: own, files });
  }

  async #check(
    tree: WorkTree,
    name: string,
    commands: readonly string[],
    visit: WorktreeVisit,
  ): Promise<readonly Check[]> {
    const { sessionDir, clock, sandbox } = this.#options;
    const { prefix } = await this.#start();
    const checks = await runChecks(commands, {
      ...{ cwd: folderIn(tree, prefix), sessionDir, clock, sandbox, signal: visit.signal },
      nameTree: () => nameTree(tree),
    });
    for (const check of checks) visit.record(verified(check, name));
    return checks;
  }

  async #conflictsIn(name: string, visit: WorktreeVisit): Promise<readonly string[]> {
    return conflictsIn(await this.#repository(visit), worktreeName(name));
  }

  async #repository(visit: WorktreeVisit): Promise<RunRepository> {
    const { plan } = await this.#start();
    const command = plan.setup ?? null;
    if (command === null) return openRepository(plan);
    const { clock, sandbox } = this.#options;
    const { processesDir } = plan;
    return openRepository(plan, (folder) =>
      runSetUp({
        ...{ command, folder, processesDir, signal: visit.signal, clock, sandbox },
        onEnd: (end) => visit.record({ type: "worktree.set-up", command, ...end }),
      }),
    );
  }

  /** Once per process; one that failed is tried again by the next caller. */
  #start(): Promise<Place> {
    this.#place ??= this.#prepare().catch((error: unknown) => {
      this.#place = undefined;
      throw error;
    });
    return this.#place;
  }

  async #prepare(): Promise<Place> {
    const { run, cwd, sessionDir, processesDir, worktrees, requireTrust, clock } = this.#options;
    const { setup, share = ["auto"] } = worktrees ?? {};
    if (setup?.file !== undefined) requireTrust({ file: setup.file, commands: [setup.command] });
    const treesDir = treesDirOf(worktrees, sessionDir, run);
    const ground = await canIsolate(await readRepository(cwd), { cwd, treesDir });
    if ("reason" in ground) throw treeError(`${ground.reason}.`);
    const { git, top, commonDir, status } = ground;
    dropRunLocks(commonDir, run);
    const mark = join(sessionDir, markFile);
    const known = existsSync(mark) ? await readCommit(git, runRef(run, "base")) : undefined;
    const base = known ?? (await makeBase({ git, commonDir, run, status, kept: null, at: clock.now() }));
    const { names: shared } = await chooseSharedFolders(git, top, share);
    const filters = await filtersInUse(git);
    const plan = { run, top, dir: treesDir, processesDir, base, shared, setup: setup?.command ?? null, filters };
    const place = {
      plan: { ...plan, nested: nestedNames(status) },
      prefix: relative(realpathSync(top), realpathSync(cwd)),
    };
    writeFileAtomically(mark, `${JSON.stringify({ top, dir: treesDir, base })}\n`);
    // Locks that a killed process left; every tree stays.
    await recoverTrees(await openRepository(place.plan), new Set(), () => false);
    return place;
  }
}

const maxNamed = 10;

function folderIn({ folder }: WorkTree, prefix: string): string {
  const path = join(folder, prefix);
  mkdirSync(path, { recursive: true });
  return path;
}
