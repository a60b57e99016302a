// The git state of a folder, for a header: `main ±3`, or nothing outside a repository.

import { Git } from "../../workflows/git/git.ts";
import { readGitStatus } from "../../workflows/git/git-status.ts";

export async function gitPlace(cwd: string): Promise<string> {
  const found = await Git.atTop(cwd);
  if (found === undefined || "problem" in found) return "";
  const [status, branch] = await Promise.all([
    readGitStatus(found.git, found.top),
    found.git.run(["symbolic-ref", "--short", "--quiet", "HEAD"]),
  ]);
  if ("problem" in status) return "";
  const name = branch.ok ? branch.stdout.toString("utf8").trim() : (status.commit?.slice(0, 7) ?? "");
  return status.files.length === 0 ? name : `${name} ±${status.files.length}`;
}
