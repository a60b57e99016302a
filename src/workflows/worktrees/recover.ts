// What a killed process may have left in the repository: locks of this run's own refs, and trees that no task needs any
// more. Only what is this run's is touched. Called by the run's owner, before its first worker starts and at its end.

import { rmdirSync } from "node:fs";
import { isSystemError } from "../../lib/atomic-file.ts";
import { dropRunLocks } from "../git/drop-run-locks.ts";
import { sweepUnkept } from "../git/keep-whole.ts";
import { endRemoval, resumeRemoval } from "./discarded-trees.ts";
import { type RunRepository, treeError } from "./run-repository.ts";
import { isWorktreeName } from "./run-refs.ts";
import { dropTree, listTrees } from "./work-tree.ts";

/** `needed`: names of the trees that stay. `isOurs`: only these are looked at; default: all but those of authors. */
export async function recoverTrees(
  repository: RunRepository,
  needed: ReadonlySet<string>,
  isOurs: (name: string) => boolean = (name) => !isWorktreeName(name),
): Promise<void> {
  dropRunLocks(repository.commonDir, repository.run);
  sweepUnkept(repository.commonDir, Date.now());
  const trees = listTrees(repository).filter((name) => isOurs(name) && !needed.has(name));
  for (const name of trees) await dropTree(repository, name);
  await resumeRemoval(repository);
}

/** After the last worker: every tree goes, but for those that `isOurs` leaves out. Large ones may take a while longer. */
export async function removeAllTrees(repository: RunRepository, isOurs?: (name: string) => boolean): Promise<void> {
  await recoverTrees(repository, new Set(), isOurs);
  const [problem] = await endRemoval(repository);
  removeIfEmpty(repository.dir);
  if (problem !== undefined) throw treeError(`${problem}.`);
}

function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
  }
}
