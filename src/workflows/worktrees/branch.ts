// The branch that holds what a run's workers did: `atomic/RUN`.

import { must, type RunRepository, treeError } from "./run-repository.ts";
import { runBranch } from "./run-refs.ts";

/** Makes it, or moves it forward; its name. A branch that holds something else is left alone. */
export async function makeBranch({ git, run, top }: RunRepository, commit: string): Promise<string> {
  const name = runBranch(run);
  const ref = `refs/heads/${name}`;
  const { ok, stdout } = await git.run(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  const old = ok ? stdout.toString("utf8").trim() : "0".repeat(commit.length);
  if (old === commit) return name;
  if (ok && (await git.run(["merge-base", "--is-ancestor", old, commit])).exitCode !== 0)
    throw treeError(`the branch ${name} in ${top} holds other commits. Rename it.`);
  await must(git, ["update-ref", "--no-deref", ref, commit, old]);
  return name;
}
