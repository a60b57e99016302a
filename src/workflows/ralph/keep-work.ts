// Before the first worker starts: the user's uncommitted and untracked files are kept under a private ref, as they are
// on disk, byte for byte; what is staged and differs from that under a second one; work in repositories inside this one
// under a third. Only objects and these refs are added; the index, the work tree and the branches stay as they are.

import { dropRunLocks } from "../git/drop-run-locks.ts";
import { type ChangedFile, type GitStatus, readGitStatus } from "../git/git-status.ts";
import { Git } from "../git/git.ts";
import { keptRef } from "../git/kept-refs.ts";
import { keepUnder, notKept, storeFiles, type TreeEntry, writeTree } from "./kept-tree.ts";
import { collectNestedWork, hasOtherOnDisk, isRepository, isUnchanged, type NestedWork } from "./nested-work.ts";

/** A type and not an interface: it goes into the record as JSON. */
export type KeptChanges = {
  /** The ref that holds the files; null when there was nothing to keep. */
  readonly ref: string | null;
  readonly files: number;
  /** The ref that holds what was staged, where that differs from the files. */
  readonly staged: string | null;
  /** The ref that holds files of repositories inside this one. */
  readonly nested: string | null;
  /** What was not kept although there may have been something. */
  readonly note: string | null;
};

interface Repository {
  readonly git: Git;
  readonly top: string;
  readonly status: GitStatus;
}

const nothing: KeptChanges = { ref: null, files: 0, staged: null, nested: null, note: null };

export async function keepWork(cwd: string, run: string): Promise<KeptChanges> {
  const found = await Git.atTop(cwd);
  if (found === undefined) {
    const why = Git.isInstalled(cwd) ? "The folder is in no git repository" : "No git program was found";
    return { ...nothing, note: `${why}, so nothing was kept before the run.` };
  }
  if ("problem" in found) throw notKept(found.problem, heedGit);
  const { git, top } = found;
  dropRunLocks(found.commonDir, run);
  const status = await readGitStatus(git, top);
  if ("problem" in status) throw notKept(`git status: ${status.problem}`, heedGit);
  const repository = { git, top, status };
  const files = status.files.filter(({ name, isSubmodule }) => !isRepository(name, isSubmodule));
  const kept = await keepFiles(repository, files, run);
  const staged = await keepStaged(repository, files, run);
  const inner = await collectNestedWork(found, status);
  const nested = await keepNested(repository, inner, run);
  const { problems } = inner;
  const note = problems.length === 0 ? null : `Not kept before the run: ${problems.join("; ")}.`;
  return { ...kept, staged, nested, note };
}

async function keepFiles(
  { git, top, status }: Repository,
  files: readonly ChangedFile[],
  run: string,
): Promise<Pick<KeptChanges, "ref" | "files">> {
  const unwatched = new Map(files.map((file) => [file.name, file.unwatched]));
  const stored = await storeFiles(git, top, [...unwatched.keys()]);
  const changed = stored.filter((each) => !isUnchanged(each, unwatched.get(each.name)));
  if (changed.length === 0) return { ref: null, files: 0 };
  const ref = keptRef("kept", run);
  const tree = await writeTree(git, status.commit, changed);
  await keepUnder(git, { ref, tree, parent: status.commit, message: `Uncommitted work before Atomic run ${run}` });
  return { ref, files: changed.length };
}

/** The index as a tree. What is staged and still on disk in the same form is kept with the files. */
async function keepStaged(
  { git, status }: Repository,
  files: readonly ChangedFile[],
  run: string,
): Promise<string | null> {
  const staged = files.filter((file) => file.staged.length > 0);
  if (!staged.some(({ line }) => hasOtherOnDisk(line))) return null;
  const entries = staged.flatMap((file) =>
    file.staged.map(({ stage, mode, object }): TreeEntry => ({
      name: stage === 0 ? file.name : `.atomic-unmerged/${stage}/${file.name}`,
      entry: mode === "000000" ? undefined : `${mode} ${object}`,
    })),
  );
  const ref = keptRef("staged", run);
  const tree = await writeTree(git, status.commit, entries);
  await keepUnder(git, { ref, tree, parent: status.commit, message: `Staged content before Atomic run ${run}` });
  return ref;
}

async function keepNested({ git }: Repository, { entries, folders }: NestedWork, run: string): Promise<string | null> {
  if (entries.length === 0) return null;
  const ref = keptRef("nested", run);
  const tree = await writeTree(git, undefined, entries);
  const message = `Uncommitted work in repositories inside this one before Atomic run ${run}\n\n${folders.join("\n")}`;
  await keepUnder(git, { ref, tree, parent: undefined, message });
  return ref;
}

const heedGit = "Fix that";
