// Names of what a run has in a repository: its refs, and the folder of a task's work tree. A task's id is any text; its
// name here is safe in a ref and in a path, and differs from every other task's, also where case does not count.

import { shortHash } from "../../lib/hash.ts";

/**
 * `base`: what the workers start from. `head`: what has landed. `task/NAME`, `merge/NAME`: a task's own commits. All stay
 * until the run is removed: git locks every ref of the repository to delete one, and a git that is killed then leaves the
 * lock to the user.
 */
export function runRef(run: string, ...parts: readonly string[]): string {
  return [`refs/atomic/run/${run}`, ...parts].join("/");
}

/** The branch that holds its work, for the user. */
export function runBranch(run: string): string {
  return `atomic/${run}`;
}

export function taskRefName(id: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/.test(id)) return id;
  const plain = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 30);
  return `${plain === "" ? "task" : plain}-${shortHash(id)}`;
}

/** An author's work tree, which is never a task's. */
export function worktreeName(name: string): string {
  return `${ownPrefix}${taskRefName(name)}`;
}

export function isWorktreeName(name: string): boolean {
  return name.startsWith(ownPrefix);
}

const ownPrefix = "wt.";
