// Uncommitted work in repositories inside the repository: submodules, and clones that were not added. Their files are
// stored in the outer repository, so that they outlive a worker that removes the inner one.

import { realpathSync } from "node:fs";
import { bytesOf, type GitStatus, readGitStatus } from "../git/git-status.ts";
import { Git } from "../git/git.ts";
import { store, storeFiles, type TreeEntry } from "./kept-tree.ts";

export interface NestedWork {
  readonly entries: readonly TreeEntry[];
  /** Repositories with something to keep. */
  readonly folders: readonly string[];
  /** Repositories that could not be looked at, each with the reason. */
  readonly problems: readonly string[];
}

interface Outer {
  readonly git: Git;
  readonly top: string;
}

/** Repositories in repositories in repositories. */
const maxLevels = 8;

export async function collectNestedWork(outer: Outer, status: GitStatus): Promise<NestedWork> {
  const entries: TreeEntry[] = [];
  const folders: string[] = [];
  const problems: string[] = [];

  async function visit(name: string, level: number): Promise<void> {
    const folder = name.replace(/\/$/, "");
    const path = bytesOf(outer.top, folder).toString("utf8");
    const found = await Git.atTop(path);
    // A submodule that is not checked out is only an empty folder.
    if (found === undefined || ("top" in found && realpathSync(found.top) !== realpathSync(path))) return;
    if ("problem" in found) return void problems.push(`${path}: ${found.problem}`);
    const inner = await readGitStatus(found.git, found.top);
    if ("problem" in inner) return void problems.push(`${path}: git status: ${inner.problem}`);
    const files = inner.files.filter((file) => !isRepository(file.name, file.isSubmodule));
    const unwatched = new Map(files.map((file) => [`${folder}/${file.name}`, file.unwatched]));
    const stored = await storeFiles(outer.git, outer.top, [...unwatched.keys()]);
    const changed = stored.filter((each) => !isUnchanged(each, unwatched.get(each.name)));
    // What is gone from the folder is in the inner repository's own commit.
    entries.push(...changed.filter(({ entry }) => entry !== undefined));
    const staged = files.flatMap((file) => (file.staged.length > 0 && hasOtherOnDisk(file.line) ? [file] : []));
    for (const { name: file, staged: stages } of staged) {
      for (const { stage, mode, object } of stages) {
        const { ok, stdout } = await found.git.run(["cat-file", "blob", object]);
        const where = stage === 0 ? ".atomic-staged" : `.atomic-unmerged/${stage}`;
        if (ok)
          entries.push({ name: `${where}/${folder}/${file}`, entry: `${mode} ${await store(outer.git, stdout)}` });
      }
    }
    if (changed.length > 0 || staged.length > 0) folders.push(path);
    if (level < maxLevels) for (const each of repositoriesIn(inner)) await visit(`${folder}/${each}`, level + 1);
    else if (repositoriesIn(inner).length > 0) problems.push(`${path}: repositories are nested too deeply`);
  }

  for (const each of repositoriesIn(status)) await visit(each, 1);
  return { entries, folders, problems };
}

function repositoriesIn({ files, submodules }: GitStatus): readonly string[] {
  const untracked = files.filter(({ name, isSubmodule }) => !isSubmodule && name.endsWith("/")).map(({ name }) => name);
  return [...new Set([...untracked, ...submodules])];
}

export function isRepository(name: string, isSubmodule: boolean): boolean {
  return isSubmodule || name.endsWith("/");
}

/** `Y` of `XY`: the file differs from what is staged. A conflict always does. */
export function hasOtherOnDisk(line: string): boolean {
  return line.startsWith("u ") || line[3] !== ".";
}

export function isUnchanged({ entry }: TreeEntry, index: { mode: string; object: string } | undefined): boolean {
  return index !== undefined && entry === `${index.mode} ${index.object}`;
}
