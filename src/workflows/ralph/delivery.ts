// What happens to the work that has landed, when the workers are done: it goes into the user's folder (`tree`), onto a
// branch (`branch`), or stays under the run's own ref (`none`). If one of the user's files is in the way, nothing is
// written, and all of it is on the branch.

import { isSystemError } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { type Delivery, deliverCommit, markDelivered } from "../worktrees/land-run.ts";
import { dropRunLocks } from "../git/drop-run-locks.ts";
import { removeAllTrees } from "../worktrees/recover.ts";
import { openRepository, problemOf, readHead } from "../worktrees/run-repository.ts";
import type { RalphState } from "./state.ts";

/** Undefined where the workers shared the user's folder, or nothing new has landed. */
export async function deliver(context: ExecutionContext<RalphState>): Promise<Delivery | undefined> {
  const { isolation, delivery = null, settings } = context.state;
  if (isolation?.mode !== "trees") return undefined;
  const { trees } = isolation;
  // No worker is left that could write a ref of the run.
  dropRunLocks((await openRepository(trees)).commonDir, trees.run);
  const head: string = await context.step("delivery head", async () => readHead(await openRepository(trees)));
  if (head === delivery?.commit || (delivery === null && head === trees.base)) return undefined;
  const delivered = await context.step("delivery", async () => {
    const made = await deliverCommit(await openRepository(trees), head, settings.land ?? "tree");
    context.record({ type: "work.delivered", ...made });
    return made;
  });
  await markDelivered(await openRepository(trees), delivered);
  return delivered;
}

/** Every tree of the run: all that is worth keeping was committed. */
export async function removeWorkTrees(context: ExecutionContext<RalphState>): Promise<void> {
  const { isolation } = context.state;
  if (isolation?.mode !== "trees") return;
  try {
    await removeAllTrees(await openRepository(isolation.trees));
  } catch (thrown) {
    // The work is delivered; a folder that can't be removed is reported.
    if (!isSystemError(thrown) && !AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    context.record({ type: "worktree.left", task: null, problem: problemOf(thrown) });
  }
}
