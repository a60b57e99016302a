// Where the work trees of a run go: into its own folder, or below the one that the setting worktrees.dir names.

import { join } from "node:path";

export function treesDirOf(
  worktrees: { readonly dir?: string | undefined } | undefined,
  sessionDir: string,
  run: string,
): string {
  return worktrees?.dir === undefined ? join(sessionDir, "trees") : join(worktrees.dir, run);
}
