// Locks of a run's own refs that a killed git left: git refuses to write such a ref until the lock is gone. Called by
// the run's owner before its process writes the first of them, so a lock that exists then is stale.
// Locks of anything else in the repository may be the user's, and stay.

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { runBranch, runRef } from "../worktrees/run-refs.ts";
import { keptKinds, keptRef } from "./kept-refs.ts";

/** `commonDir`: the repository's folder that all its work trees share. */
export function dropRunLocks(commonDir: string, run: string): void {
  const own = [...keptKinds.map((kind) => keptRef(kind, run)), `refs/heads/${runBranch(run)}`];
  for (const ref of own) rmSync(join(commonDir, `${ref}.lock`), { force: true });
  for (const entry of entriesBelow(join(commonDir, runRef(run)))) {
    if (entry.isFile() && entry.name.endsWith(".lock")) rmSync(join(entry.parentPath, entry.name), { force: true });
  }
}

function entriesBelow(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}
