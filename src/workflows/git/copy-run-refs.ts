// Gives a forked run its own copy of what the run it comes from has in the repository: kept work, the base and the head
// of its workers' trees. The old run's refs stay as they are, and no object is copied.

import { AtomicError } from "../../lib/errors.ts";
import { runRef } from "../worktrees/run-refs.ts";
import { Git } from "./git.ts";
import { keptKinds, keptRef } from "./kept-refs.ts";

export interface RefCopy {
  readonly from: string;
  readonly into: string;
  /** What had landed at the point of the fork; absent: nothing. */
  readonly head?: string | undefined;
}

/** Nothing to do where there is no repository. Throws WORKTREE_FAILED when git refuses. */
export async function copyRunRefs(cwd: string, { from, into, head }: RefCopy): Promise<void> {
  const found = await Git.atTop(cwd);
  if (found === undefined || "problem" in found) return;
  const { git } = found;
  const patterns = [...keptKinds.map((kind) => keptRef(kind, from)), runRef(from)];
  const listed = await git.run(["for-each-ref", "--format=%(objectname) %(refname)", ...patterns]);
  if (!listed.ok) throw refused(listed.stderr);
  const refs = new Map(
    listed.stdout
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): readonly [string, string] => {
        const [object = "", ref = ""] = line.split(" ");
        return [ref, object];
      }),
  );
  const base = refs.get(runRef(from, "base"));
  if (base !== undefined) refs.set(runRef(from, "head"), head ?? base);
  for (const [ref, object] of refs) {
    const made = await git.run(["update-ref", "--no-deref", ref.replace(from, into), object]);
    if (!made.ok) throw refused(made.stderr);
  }
}

function refused(problem: string): AtomicError {
  return new AtomicError("WORKTREE_FAILED", `The run's work in the repository can't be copied: ${problem}.`);
}
