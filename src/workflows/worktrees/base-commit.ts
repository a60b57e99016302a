// The commit that workers start from: the user's HEAD with every changed and untracked file, as git would add them. That
// is the commit under which the files were kept before the run, unless line endings are converted: then git's form of the
// files is needed, or every worker's change to such a file would be a change of all its lines.

import type { GitStatus } from "../git/git-status.ts";
import type { Git } from "../git/git.ts";
import { keepWhole } from "../git/keep-whole.ts";
import { commitTree } from "./commit.ts";
import { treeOfFiles } from "./files-tree.ts";
import { gitRefused, must, readCommit } from "./run-repository.ts";
import { runRef } from "./run-refs.ts";

export interface BaseRequest {
  readonly git: Git;
  readonly commonDir: string;
  readonly run: string;
  readonly status: GitStatus & { readonly commit: string };
  /** The ref that the files were kept under; null when there was nothing to keep. */
  readonly kept: string | null;
  readonly at: number;
}

/** Also makes the run's head, which is the base as long as nothing has landed. Once something has, both stay. */
export async function makeBase(request: BaseRequest): Promise<string> {
  const { git, run } = request;
  const [before, head] = await Promise.all(["base", "head"].map((name) => readCommit(git, runRef(run, name))));
  if (before !== undefined && head !== undefined && before !== head) return before;
  const refs = ["base", "head"].map((name) => runRef(run, name));
  return keepWhole(request, { refs, known: request.status.commit, refused: gitRefused }, (git) =>
    baseCommit({ ...request, git }),
  );
}

async function baseCommit({ git, run, status, kept, at }: BaseRequest): Promise<string> {
  const tree = await treeOfFiles(git, status);
  const [headTree, keptTree] = await Promise.all([treeOf(git, status.commit), kept && treeOf(git, kept)]);
  if (tree === headTree) return status.commit;
  if (tree === keptTree) return must(git, ["rev-parse", "--verify", `${kept}^{commit}`]);
  const message = `Uncommitted work before Atomic run ${run}\n`;
  return commitTree(git, { tree, parent: status.commit, message, at });
}

function treeOf(git: Git, commit: string): Promise<string> {
  return must(git, ["rev-parse", "--verify", `${commit}^{tree}`]);
}
