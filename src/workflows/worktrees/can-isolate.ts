// Whether workers can have separate work trees here, and why not.

import { isReallyInside } from "../../lib/real-path.ts";
import type { FoundRepository, GitStatus, ReadRepository } from "../git/git-status.ts";
import { Git } from "../git/git.ts";

export interface IsolationGround extends ReadRepository {
  readonly status: GitStatus & { readonly commit: string };
}

interface Asked {
  readonly cwd: string;
  /** Where the trees will be. */
  readonly treesDir: string;
}

/** `git merge-tree --write-tree` is as old as this. */
const oldestGit = [2, 38] as const;

/** The reason is a clause: `the folder is in no git repository`. */
export async function canIsolate(
  repository: FoundRepository,
  { cwd, treesDir }: Asked,
): Promise<IsolationGround | { readonly reason: string }> {
  if (repository === undefined) {
    const reason = Git.isInstalled(cwd) ? "the folder is in no git repository" : "git is not installed";
    return { reason };
  }
  if ("problem" in repository) return { reason: repository.problem };
  const { git, top, status } = repository;
  const { commit } = status;
  if (commit === undefined) return { reason: "the repository has no commit" };
  if (isReallyInside(treesDir, top))
    return { reason: `${treesDir} is inside the repository; set worktrees.dir to a folder outside` };
  const [version, obstacle] = await Promise.all([readVersion(git), findObstacle(git)]);
  if (!isNewEnough(version)) return { reason: `${version} is older than ${oldestGit.join(".")}` };
  return obstacle === undefined ? { ...repository, status: { ...status, commit } } : { reason: obstacle };
}

async function readVersion(git: Git): Promise<string> {
  return (await git.run(["version"])).stdout.toString("utf8").trim();
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
