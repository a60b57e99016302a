// Views of runs that this machine only looks at, of a store that other machines share: those runs have no folder here,
// and get none, because a folder of that name is a run. One private file per run (view-snapshot.ts writes it).

import { join } from "node:path";
import { discard } from "../../lib/atomic-file.ts";
import { readableNamesIn } from "../../lib/names-in.ts";

const suffix = ".json";

function folderOf(sessionsDir: string): string {
  return join(sessionsDir, ".views");
}

export function readerViewOf(sessionsDir: string, run: string): string {
  return join(folderOf(sessionsDir), `${run}${suffix}`);
}

/** Removes those of runs that no longer exist: another machine may have removed them. */
export function removeOldViews(sessionsDir: string, runs: readonly string[]): void {
  const names = readableNamesIn(folderOf(sessionsDir));
  if (names.length === 0) return;
  const kept = new Set(runs);
  for (const name of names) {
    const run = name.slice(0, -suffix.length);
    if (name.endsWith(suffix) && !kept.has(run)) discard(readerViewOf(sessionsDir, run));
  }
}
