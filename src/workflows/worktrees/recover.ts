// What a killed process may have left in the repository: locks of this run's own refs, and trees that no task needs any
// more. Only what is this run's is touched. Called by the run's owner, before its first worker starts.

import { rmdirSync } from "node:fs";
import { isSystemError } from "../../lib/atomic-file.ts";
import { dropRunLocks } from "../git/drop-run-locks.ts";
import type { RunRepository } from "./run-repository.ts";
import { isWorktreeName } from "./run-refs.ts";
import { listTrees, removeTree } from "./work-tree.ts";

/** `needed`: names of the trees that stay. `isOurs`: only these are looked at; default: all but those of authors. */
export async function recoverTrees(
  repository: RunRepository,
  needed: ReadonlySet<string>,
  isOurs: (name: string) => boolean = (name) => !isWorktreeName(name),
): Promise<void> {
  dropRunLocks(repository.commonDir, repository.run);
  const trees = listTrees(repository).filter((name) => isOurs(name) && !needed.has(name));
  for (const name of trees) await removeTree(repository, name);
  if (needed.size === 0) removeIfEmpty(repository.dir);
}

function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
  }
}
