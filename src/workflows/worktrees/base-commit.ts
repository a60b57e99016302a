// The commit that workers start from: the user's HEAD with every changed and untracked file, as git would add them. That
// is the commit under which the files were kept before the run, unless line endings are converted: then git's form of the
// files is needed, or every worker's change to such a file would be a change of all its lines.

import { join } from "node:path";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder } from "../../lib/temp-folder.ts";
import type { GitStatus } from "../git/git-status.ts";
import type { Git } from "../git/git.ts";
import { commitTree } from "./commit.ts";
import { must } from "./run-repository.ts";
import { runRef } from "./run-refs.ts";

export interface BaseRequest {
  readonly git: Git;
  readonly run: string;
  readonly status: GitStatus & { readonly commit: string };
  /** The ref that the files were kept under; null when there was nothing to keep. */
  readonly kept: string | null;
  readonly at: number;
}

/** Also makes the run's head, which is the base as long as nothing has landed. */
export async function makeBase(request: BaseRequest): Promise<string> {
  const { git, run } = request;
  const base = await baseCommit(request);
  const refs = ["base", "head"].map((name) => `update ${runRef(run, name)} ${base}\n`);
  await must(git, ["update-ref", "--no-deref", "--stdin"], { input: refs.join("") });
  return base;
}

async function baseCommit({ git, run, status, kept, at }: BaseRequest): Promise<string> {
  const names = status.files.filter(({ name, isSubmodule }) => !isSubmodule && !name.endsWith("/"));
  if (names.length === 0) return status.commit;
  const scratch = makeTempFolder("keep");
  try {
    const env = { GIT_INDEX_FILE: join(scratch, "index") };
    await must(git, ["read-tree", status.commit], { env });
    const input = Buffer.from(names.map(({ name }) => `${name}\0`).join(""), "latin1");
    await must(git, ["update-index", "-z", "--add", "--remove", "--stdin"], { env, input });
    const tree = await must(git, ["write-tree"], { env });
    const [headTree, keptTree] = await Promise.all([treeOf(git, status.commit), kept && treeOf(git, kept)]);
    if (tree === headTree) return status.commit;
    if (tree === keptTree) return await must(git, ["rev-parse", "--verify", `${kept}^{commit}`]);
    const message = `Uncommitted work before Atomic run ${run}\n`;
    return await commitTree(git, { tree, parent: status.commit, message, at });
  } finally {
    removeFolder(scratch);
  }
}

function treeOf(git: Git, commit: string): Promise<string> {
  return must(git, ["rev-parse", "--verify", `${commit}^{tree}`]);
}
