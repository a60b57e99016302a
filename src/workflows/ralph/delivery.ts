// What happens to the work that has landed, when the workers are done: it goes into the user's folder (`tree`), onto a
// branch (`branch`), or stays under the run's own ref (`none`). Where a file of the user's stands in the way, nothing is
// written, and all of it is on the branch.

import { isSystemError } from "../../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { makeBranch } from "../worktrees/branch.ts";
import { deliverFiles } from "../worktrees/deliver.ts";
import { recoverTrees } from "../worktrees/recover.ts";
import { openRepository, readHead, type TreesPlan } from "../worktrees/run-repository.ts";
import { runRef } from "../worktrees/run-refs.ts";
import type { RalphState } from "./state.ts";
import type { Delivery, LandTarget } from "./work-places.ts";

const mostNamed = 100;

/** Undefined where the workers shared the user's folder, or nothing new has landed. */
export async function deliver(context: ExecutionContext<RalphState>): Promise<Delivery | undefined> {
  const { isolation, delivery = null, settings } = context.state;
  if (isolation?.mode !== "trees") return undefined;
  const { trees } = isolation;
  const head: string = await context.step("delivery head", async () => readHead(await openRepository(trees)));
  // After a delivery the folder holds what was delivered; after one that was blocked, what it held before.
  const from = delivery?.target === "tree" ? delivery.commit : trees.base;
  if (head === delivery?.commit || (delivery === null && head === trees.base)) return undefined;
  return context.step("delivery", async () => {
    const made = await deliverRange(trees, { from, to: head }, settings.land ?? "tree");
    context.record({ type: "work.delivered", ...made });
    return made;
  });
}

/** Killed in the middle and called again, it continues. */
async function deliverRange(
  trees: TreesPlan,
  range: { readonly from: string; readonly to: string },
  target: LandTarget,
): Promise<Delivery> {
  const repository = await openRepository(trees);
  const none = { commit: range.to, files: 0, blocked: [], problem: null };
  if (target === "none") return { ...none, target, ref: runRef(trees.run, "head") };
  if (target === "branch") return { ...none, target, ref: await makeBranch(repository, range.to) };
  try {
    const { files, blocked } = await deliverFiles(repository, range);
    if (blocked.length === 0) return { ...none, target: "tree", files, ref: runRef(trees.run, "head") };
    const ref = await makeBranch(repository, range.to);
    return { ...none, target: "branch", ref, blocked: blocked.slice(0, mostNamed) };
  } catch (thrown) {
    if (!AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    return { ...none, target: "branch", ref: await makeBranch(repository, range.to), problem: thrown.message };
  }
}

/** Every tree of the run: all that is worth keeping was committed. */
export async function removeWorkTrees(context: ExecutionContext<RalphState>): Promise<void> {
  const { isolation } = context.state;
  if (isolation?.mode !== "trees") return;
  try {
    await recoverTrees(await openRepository(isolation.trees), new Set());
  } catch (thrown) {
    // The work is delivered; a folder that can't be removed is reported.
    if (!isSystemError(thrown) && !AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    context.record({ type: "worktree.left", task: null, problem: messageOf(thrown) });
  }
}
