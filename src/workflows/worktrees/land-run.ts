// Delivering a run's work, or a part of it: into the user's folder, where no file stands in the way, else onto a branch.
// A ref says what the folder holds of the run already, so that each delivery starts where the last one ended.

import { AtomicError } from "../../lib/errors.ts";
import { dropRunLocks } from "../git/drop-run-locks.ts";
import { makeBranch } from "./branch.ts";
import { deliverFiles } from "./deliver.ts";
import { keepCommit } from "./merge.ts";
import { pickTasks } from "./pick.ts";
import {
  keepRunCommit,
  openRepository,
  readHead,
  readRef,
  type RunRepository,
  type TreesPlan,
} from "./run-repository.ts";
import { runRef } from "./run-refs.ts";

export type LandTarget = "tree" | "branch" | "none";

/** A type and not an interface: it goes into the record as JSON. */
export type Delivery = {
  /** Where the work is now. */
  readonly target: LandTarget;
  /** What was delivered. */
  readonly commit: string;
  /** Files written or removed in the user's folder. */
  readonly files: number;
  /** The branch or ref that holds the work. */
  readonly ref: string;
  /** Files that the user changed meanwhile, and that kept the work out of the folder. */
  readonly blocked: readonly string[];
  /** Why it was not delivered as requested. */
  readonly problem: string | null;
};

const maxNamed = 100;
const deliveredRef = "delivered";

/** Killed in the middle and called again, it continues. To be followed by `markDelivered`, once that is on record. */
export async function deliverCommit(repository: RunRepository, commit: string, target: LandTarget): Promise<Delivery> {
  const { run, base } = repository;
  const head = runRef(run, "head");
  const none = { commit, files: 0, blocked: [], problem: null };
  if (target === "none") return { ...none, target, ref: head };
  if (target === "branch") return { ...none, target, ref: await makeBranch(repository, commit) };
  const from = (await readRef(repository, deliveredRef)) ?? base;
  try {
    const { files, blocked } = await deliverFiles(repository, { from, to: commit });
    if (blocked.length > 0)
      return {
        ...none,
        target: "branch",
        ref: await makeBranch(repository, commit),
        blocked: blocked.slice(0, maxNamed),
      };
    return { ...none, target, files, ref: head };
  } catch (thrown) {
    if (!AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    return { ...none, target: "branch", ref: await makeBranch(repository, commit), problem: thrown.message };
  }
}

/** The next delivery starts from what this one brought. Called again after a later one, it changes nothing. */
export async function markDelivered(repository: RunRepository, { target, commit }: Delivery): Promise<void> {
  if (target !== "tree") return;
  const marked = await readRef(repository, deliveredRef);
  if (marked !== undefined) {
    const { exitCode } = await repository.git.run(["merge-base", "--is-ancestor", commit, marked]);
    if (exitCode === 0) return;
  }
  await keepCommit(repository, commit, deliveredRef);
}

/** `tasks`: only these; none: all that has landed. Throws USAGE for a run without work of that kind. */
export async function landRun(plan: Omit<TreesPlan, "base">, tasks: readonly string[]): Promise<Delivery> {
  const opened = await openRepository({ ...plan, base: "" });
  dropRunLocks(opened.commonDir, plan.run);
  const base = await readRef(opened, "base");
  if (base === undefined)
    throw new AtomicError("USAGE", `Run ${plan.run} has nothing to land: its workers shared the folder ${plan.top}.`);
  const repository = { ...opened, base };
  const commit = tasks.length === 0 ? await readHead(repository) : await pickedCommit(repository, tasks);
  const delivery = await deliverCommit(repository, commit, "tree");
  await markDelivered(repository, delivery);
  return delivery;
}

async function pickedCommit(repository: RunRepository, tasks: readonly string[]): Promise<string> {
  const onto = (await readRef(repository, deliveredRef)) ?? repository.base;
  return keepRunCommit(repository, { known: onto, refs: [["picked"]] }, (git) =>
    pickTasks({ ...repository, git }, onto, tasks),
  );
}
