// Work trees that are made before a task needs one, while the planner or other workers work. At most as many as there are
// workers, with those in use. What can't be made ahead is made when it is needed, and fails then with its reason.

import { isSystemError } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { countDiscarded } from "./discarded-trees.ts";
import { readHead, type RunRepository } from "./run-repository.ts";
import { isAheadName, nextAheadName } from "./tree-places.ts";
import { ensureTree, listTrees } from "./work-tree.ts";

/** `most`: trees of this run in all. */
export async function makeTreesAhead(repository: RunRepository, most: number): Promise<void> {
  const head = await readHead(repository);
  const names = new Set<string>();
  for (let count = listTrees(repository).length + countDiscarded(repository); count < most; count++)
    names.add(nextAheadName(repository, names));
  const made = await Promise.allSettled(
    [...names].map((name) => ensureTree(repository, name, { content: head, head })),
  );
  for (const each of made) {
    if (each.status === "rejected" && !isExpected(each.reason)) throw each.reason;
  }
}

/** Of the trees made ahead those that may still be needed: the others go. */
export function neededAhead(repository: RunRepository, most: number): readonly string[] {
  const all = listTrees(repository);
  const inUse = all.filter((name) => !isAheadName(name)).length;
  return all.filter(isAheadName).slice(0, Math.max(most - inUse, 0));
}

function isExpected(reason: unknown): boolean {
  return isSystemError(reason) || AtomicError.is(reason, "WORKTREE_FAILED");
}
