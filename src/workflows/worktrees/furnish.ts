// What git leaves out of a new work tree, and workers need: files that `.worktreeinclude` names are copied, shared
// folders are copied where the disk can do that without writing, else linked. All of it is ignored by git, so none of
// it lands.

import { constants, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isSystemError, writeFileAtomically } from "../../lib/atomic-file.ts";
import { bytesOf } from "../git/git-status.ts";
import type { Git } from "../git/git.ts";
import { longGitMs, type RunRepository } from "./run-repository.ts";

/** Lists what is shared, in the tree's record. */
export const sharedFile = "shared";

const includeFile = ".worktreeinclude";

export async function furnishTree(repository: RunRepository, folder: string, record: string): Promise<void> {
  await copyIncluded(repository, folder);
  const shared = repository.shared ?? [];
  const links = [];
  for (const name of shared) if (await share(repository.top, folder, name)) links.push(name);
  // A link is a file to git, and a pattern for folders does not ignore it.
  writeFileAtomically(join(record, sharedFile), JSON.stringify(links));
}

/** Patterns as in .gitignore; of what they match only what git ignores. */
async function copyIncluded({ git, top }: RunRepository, folder: string): Promise<void> {
  const patterns = join(top, includeFile);
  if (lstatSync(patterns, { throwIfNoEntry: false })?.isFile() !== true) return;
  const list = ["ls-files", "-z", "--others", "--ignored", `--exclude-from=${patterns}`];
  const matched = await git.run(list, { limitMs: longGitMs });
  const names = await ignoredOf(git, matched.stdout);
  for (const name of names) {
    const target = bytesOf(folder, name);
    if (existsSync(target)) continue;
    mkdirSync(bytesOf(folder, dirname(name)), { recursive: true });
    if (lstatSync(bytesOf(top, name)).isFile()) copyFileSync(bytesOf(top, name), target, constants.COPYFILE_FICLONE);
  }
}

async function ignoredOf(git: Git, names: Buffer): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const { stdout } = await git.run(["check-ignore", "-z", "--stdin"], { input: names });
  return stdout
    .toString("latin1")
    .split("\0")
    .filter((name) => name !== "");
}

/** Those that trees in `dir` get as links, because the disk can't clone files from one to the other. */
export function foldersToLink(top: string, dir: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  return names.filter((name) => !canClone(join(top, name), dir));
}

/** True when it is a link. */
async function share(top: string, folder: string, name: string): Promise<boolean> {
  const source = join(top, name);
  const target = join(folder, name);
  if (existsSync(target) || !existsSync(source)) return false;
  mkdirSync(dirname(target), { recursive: true });
  if (canClone(source, dirname(target))) {
    await cp(source, target, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
    return false;
  }
  symlinkSync(source, target);
  return true;
}

/** Whether files can be copied there without copying their content. Writes only to the tree. */
function canClone(source: string, to: string): boolean {
  const file = firstFile(source);
  if (file === undefined) return false;
  const copy = join(to, ".atomic-probe");
  try {
    copyFileSync(file, copy, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  } finally {
    rmSync(copy, { force: true });
  }
}

/** Some file in the folder or, level by level, below it. */
function firstFile(folder: string): string | undefined {
  let level = [folder];
  for (let depth = 0; depth < 4 && level.length > 0; depth++) {
    const entries = level.flatMap((each) => readdirSync(each, { withFileTypes: true }));
    const file = entries.find((entry) => entry.isFile());
    if (file !== undefined) return join(file.parentPath, file.name);
    level = entries.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name));
  }
  return undefined;
}
