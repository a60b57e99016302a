// Removes what a run kept in a repository, with the run.

import { Git } from "./git.ts";
import { keptKinds, keptRef } from "./kept-refs.ts";

/**
 * What could not be removed, and why. Nothing to do where there is no such repository any more. Only refs of this run
 * are touched, whatever its record says.
 */
export async function removeKept(cwd: string, run: string): Promise<{ readonly problem: string } | undefined> {
  const found = await Git.atTop(cwd);
  if (found === undefined) return undefined;
  if ("problem" in found) return found;
  for (const ref of keptKinds.map((kind) => keptRef(kind, run))) {
    const { ok: isThere } = await found.git.run(["show-ref", "--verify", "--quiet", ref]);
    const removed = isThere ? await found.git.run(["update-ref", "--no-deref", "-d", ref]) : undefined;
    if (removed?.ok === false) return { problem: `${ref} in ${found.top}: ${removed.stderr}` };
  }
  return undefined;
}
