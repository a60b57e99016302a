// What a worker changed and what can't land, and where it is kept: files under a filter, files of repositories inside the
// repository, and repositories that the worker made itself.

import { constants, cpSync, lstatSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { bytesOf } from "../git/git-status.ts";
import { changedFiltered } from "./filtered-files.ts";
import { keepNested } from "./nested-trees.ts";
import { foreignIn, newFiltered, type WorkTree } from "./work-tree.ts";

/** A type and not an interface: it goes into the record as JSON. */
export type NotLanded = {
  readonly file: string;
  readonly why: string;
  /** How to get at it; null for what was removed. */
  readonly kept: string | null;
};

export async function keepNotLanded(
  tree: WorkTree,
  keep: { readonly dir: string; readonly task: string; readonly message: string; readonly at: number },
): Promise<readonly NotLanded[]> {
  const nested = await keepNested(tree, keep);
  const filtered = [...new Set([...changedFiltered(tree), ...newFiltered(tree)])];
  return [
    ...nested.map(({ name, ref }) => ({
      ...{ file: name, why: "it is in a repository of its own" },
      kept: ref === null ? null : `git -C ${name} show ${ref}`,
    })),
    ...filtered.map((name) => ({ ...copied(tree, keep.dir, name), why: "it is under a filter" })),
    ...foreignIn(tree).map((name) => ({ ...copied(tree, keep.dir, name), why: "the worker made it a repository" })),
  ];
}

function copied(tree: WorkTree, dir: string, name: string): { readonly file: string; readonly kept: string | null } {
  const file = Buffer.from(name, "latin1").toString("utf8");
  if (lstatSync(bytesOf(tree.folder, name), { throwIfNoEntry: false }) === undefined) return { file, kept: null };
  const target = join(dir, file);
  mkdirSync(dirname(target), { recursive: true });
  const mode = constants.COPYFILE_FICLONE;
  cpSync(join(tree.folder, file), target, { recursive: true, verbatimSymlinks: true, force: true, mode });
  return { file, kept: target };
}
