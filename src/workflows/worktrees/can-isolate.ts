// Whether workers can have separate work trees here, and why not.

import { isReallyInside } from "../../lib/real-path.ts";
import { readGitStatus, type GitStatus } from "../git/git-status.ts";
import { Git, type GitAtTop } from "../git/git.ts";

export interface IsolationGround extends GitAtTop {
  readonly status: GitStatus & { readonly commit: string };
}

/** `git merge-tree --write-tree` is as old as this. */
const oldestGit = [2, 38] as const;

/** The reason is a clause: `the folder is in no git repository`. */
export async function canIsolate(cwd: string, dir: string): Promise<IsolationGround | { readonly reason: string }> {
  const found = await Git.atTop(cwd);
  if (found === undefined) {
    const reason = Git.isInstalled(cwd) ? "the folder is in no git repository" : "git is not installed";
    return { reason };
  }
  if ("problem" in found) return { reason: found.problem };
  const { git, top } = found;
  const version = (await git.run(["version"])).stdout.toString("utf8").trim();
  if (!isNewEnough(version)) return { reason: `${version} is older than ${oldestGit.join(".")}` };
  if (isReallyInside(dir, top))
    return { reason: `${dir} is inside the repository; set worktrees.dir to a folder outside` };
  const status = await readGitStatus(git, top);
  if ("problem" in status) return { reason: `git status: ${status.problem}` };
  const { commit } = status;
  if (commit === undefined) return { reason: "the repository has no commit" };
  const obstacle = await findObstacle(git);
  return obstacle === undefined ? { ...found, status: { ...status, commit } } : { reason: obstacle };
}

function isNewEnough(version: string): boolean {
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  return major > oldestGit[0] || (major === oldestGit[0] && minor >= oldestGit[1]);
}

/** What a checkout of the commit would not have, and the user's folder has. */
async function findObstacle(git: Git): Promise<string | undefined> {
  const partial = await git.run(["config", "--get", "extensions.partialClone"]);
  return partial.ok ? "the repository is a partial clone: files may be missing that a checkout needs" : undefined;
}
