// Before the first worker starts: the user's uncommitted and untracked files are kept under a private ref, as they are
// on disk, byte for byte; what is staged and differs from that under a second one; work in repositories inside this one
// under a third. Only objects and these refs are added; the index, the work tree and the branches stay as they are.

import { dropRunLocks } from "../git/drop-run-locks.ts";
import { withNewObjects } from "../git/keep-whole.ts";
import type { ChangedFile, FoundRepository, ReadRepository } from "../git/git-status.ts";
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

const nothing: KeptChanges = { ref: null, files: 0, staged: null, nested: null, note: null };

export async function keepWork(
  repository: FoundRepository,
  { cwd, run }: { readonly cwd: string; readonly run: string },
): Promise<KeptChanges> {
  if (repository === undefined) {
    const why = Git.isInstalled(cwd) ? "The folder is in no git repository" : "No git program was found";
    return { ...nothing, note: `${why}, so nothing was kept before the run.` };
  }
  if ("problem" in repository) throw notKept(repository.problem, heedGit);
  dropRunLocks(repository.commonDir, run);
  const { files, submodules } = repository.status;
  if (files.length === 0 && submodules.length === 0) return nothing;
  return withNewObjects(repository, notKept, (git) => keepAll({ ...repository, git }, run));
}

async function keepAll(repository: ReadRepository, run: string): Promise<KeptChanges> {
  const { status } = repository;
  const files = status.files.filter(({ name, isSubmodule }) => !isRepository(name, isSubmodule));
  const kept = await keepFiles(repository, files, run);
  const staged = await keepStaged(repository, files, run);
  const inner = await collectNestedWork(repository, status);
  const collectAgain = (into: Git): Promise<NestedWork> => collectNestedWork({ ...repository, git: into }, status);
  const nested = await keepNested(repository, inner, collectAgain, run);
  const { problems } = inner;
  const note = problems.length === 0 ? null : `Not kept before the run: ${problems.join("; ")}.`;
  return { ...kept, staged, nested, note };
}

async function keepFiles(
  repository: ReadRepository,
  files: readonly ChangedFile[],
  run: string,
): Promise<Pick<KeptChanges, "ref" | "files">> {
  const { git, top, status } = repository;
  const unwatched = new Map(files.map((file) => [file.name, file.unwatched]));
  const store = async (into: Git): Promise<readonly TreeEntry[]> => {
    const stored = await storeFiles(into, top, [...unwatched.keys()]);
    return stored.filter((each) => !isUnchanged(each, unwatched.get(each.name)));
  };
  const changed = await store(git);
  if (changed.length === 0) return { ref: null, files: 0 };
  const ref = keptRef("kept", run);
  const message = `Uncommitted work before Atomic run ${run}`;
  await keepUnder(repository, { ref, parent: status.commit, message }, async (into, isAgain) =>
    writeTree(into, status.commit, isAgain ? await store(into) : changed),
  );
  return { ref, files: changed.length };
}

/** The index as a tree. What is staged and still on disk in the same form is kept with the files. */
async function keepStaged(
  repository: ReadRepository,
  files: readonly ChangedFile[],
  run: string,
): Promise<string | null> {
  const { status } = repository;
  const staged = files.filter((file) => file.staged.length > 0);
  if (!staged.some(({ line }) => hasOtherOnDisk(line))) return null;
  const entries = staged.flatMap((file) =>
    file.staged.map(({ stage, mode, object }): TreeEntry => ({
      name: stage === 0 ? file.name : `.atomic-unmerged/${stage}/${file.name}`,
      entry: mode === "000000" ? undefined : `${mode} ${object}`,
    })),
  );
  const ref = keptRef("staged", run);
  const message = `Staged content before Atomic run ${run}`;
  await keepUnder(repository, { ref, parent: status.commit, message }, (git) => writeTree(git, status.commit, entries));
  return ref;
}

async function keepNested(
  repository: ReadRepository,
  { entries, folders }: NestedWork,
  collect: (git: Git) => Promise<NestedWork>,
  run: string,
): Promise<string | null> {
  if (entries.length === 0) return null;
  const ref = keptRef("nested", run);
  const message = `Uncommitted work in repositories inside this one before Atomic run ${run}\n\n${folders.join("\n")}`;
  await keepUnder(repository, { ref, parent: undefined, message }, async (git, isAgain) =>
    writeTree(git, undefined, isAgain ? (await collect(git)).entries : entries),
  );
  return ref;
}

const heedGit = "Fix that";
