// Removes what a run has in a repository: the uncommitted work that it kept, its work trees, and its refs. Only what is
// this run's is touched, whatever its record says. A branch that it made is the user's.

import { isSystemError } from "../../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { dropRunLocks } from "../git/drop-run-locks.ts";
import { Git, type GitAtTop } from "../git/git.ts";
import { keptKinds, keptRef } from "../git/kept-refs.ts";
import { openNested } from "./nested-trees.ts";
import { removeFiles } from "./remove-files.ts";
import { must } from "./run-repository.ts";
import { runRef } from "./run-refs.ts";
import { readTreeRecords } from "./tree-records.ts";

/** What could not be removed, and why. Nothing to do where there is no such repository any more. */
export async function removeRun(cwd: string, run: string): Promise<{ readonly problem: string } | undefined> {
  const found = await Git.atTop(cwd);
  if (found === undefined) return undefined;
  if ("problem" in found) return found;
  try {
    dropRunLocks(found.commonDir, run);
    await removeTrees(found, run);
    await removeRefs(found, run);
    for (const name of await submodulesIn(found)) {
      const inner = await openNested(found.top, name);
      if (inner === undefined) continue;
      dropRunLocks(inner.commonDir, run);
      await removeRefs(inner, run);
    }
    return undefined;
  } catch (thrown) {
    if (!isSystemError(thrown) && !AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    return { problem: `${found.top}: ${messageOf(thrown)}` };
  }
}

async function removeTrees({ commonDir }: GitAtTop, run: string): Promise<void> {
  for (const { folder, record } of readTreeRecords(commonDir, run)) {
    if (folder !== undefined) await removeFiles(folder);
    removeFolder(record);
  }
}

async function removeRefs({ git }: GitAtTop, run: string): Promise<void> {
  const patterns = [`${runRef(run)}/`, ...keptKinds.map((kind) => keptRef(kind, run))];
  const listed = await must(git, ["for-each-ref", "--format=%(refname)", ...patterns]);
  const refs = listed.split("\n").filter((ref) => ref !== "");
  if (refs.length === 0) return;
  await must(git, ["update-ref", "--no-deref", "--stdin"], { input: refs.map((ref) => `delete ${ref}\n`).join("") });
}

/** Work in these is kept in their own repositories. */
async function submodulesIn({ git }: GitAtTop): Promise<readonly string[]> {
  const listed = await must(git, ["ls-files", "--stage", "-z"]);
  return listed.split("\0").flatMap((line) => (line.startsWith("160000") ? [line.slice(line.indexOf("\t") + 1)] : []));
}
