// What git needs of a repository that an agent works in, and what of it must stay as it is. Hooks and configuration
// start programs in the user's next call of git, so they are read-only. The `.git` file of a work tree is believed only
// when the folder that it names says the same: an agent can write such a file, and not the other side of it.

import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { systemCode } from "../../../lib/atomic-file.ts";
import { isInside, realOrSame } from "../../../lib/real-path.ts";
import type { AccessRequest } from "./access-plan.ts";

/** `root`: the top of a checkout: the user's, or a work tree that a run made, which has its own repository. */
export function gitAccess(root: string): AccessRequest {
  const link = join(root, ".git");
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found === undefined || found.isSymbolicLink()) return { write: [], read: [] };
  if (found.isDirectory()) return ownRepository(root, link);
  const tree = linkedTree(link);
  if (tree === undefined) return { write: [], read: [link] };
  const { gitDir, commonDir } = tree;
  writeIfMissing(join(gitDir, "config.worktree"));
  const fixed = ["commondir", "gitdir", "locked", "config.worktree"].map((name) => join(gitDir, name));
  return {
    write: existing([gitDir, ...["objects", "refs", "logs"].map((name) => join(commonDir, name))]),
    read: existing([link, ...fixed, ...hooksInside(root, commonDir)]),
  };
}

function ownRepository(root: string, gitDir: string): AccessRequest {
  mkdirSync(join(gitDir, "hooks"), { recursive: true });
  if (/worktreeconfig/i.test(readText(join(gitDir, "config")) ?? "")) writeIfMissing(join(gitDir, "config.worktree"));
  const names = ["hooks", "config", "config.worktree", "modules", "worktrees", "commondir"];
  return {
    write: [gitDir],
    read: existing([...names.map((name) => join(gitDir, name)), ...hooksInside(root, gitDir)]),
  };
}

interface LinkedTree {
  readonly gitDir: string;
  readonly commonDir: string;
}

/** Undefined for a submodule, and for a file that the folder it names knows nothing of. */
function linkedTree(link: string): LinkedTree | undefined {
  const named = /^gitdir: (.+?)\s*$/.exec(readText(link) ?? "")?.[1];
  if (named === undefined) return undefined;
  const gitDir = realOrSame(resolve(dirname(link), named));
  const back = readText(join(gitDir, "gitdir"))?.trim();
  if (back === undefined || realOrSame(resolve(gitDir, back)) !== realOrSame(link)) return undefined;
  const common = readText(join(gitDir, "commondir"))?.trim();
  if (common === undefined) return undefined;
  const commonDir = realOrSame(resolve(gitDir, common));
  return isInside(gitDir, join(commonDir, "worktrees")) ? { gitDir, commonDir } : undefined;
}

/** Hooks that the project keeps beside its files, as husky does. */
function hooksInside(root: string, commonDir: string): readonly string[] {
  const written = /^\s*hookspath\s*=\s*"?(.+?)"?\s*$/im.exec(readText(join(commonDir, "config")) ?? "")?.[1];
  if (written === undefined) return [];
  const folder = isAbsolute(written) ? written : join(root, written);
  const real = realOrSame(folder);
  return isInside(real, root) && real !== root ? [real] : [];
}

function existing(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => existsSync(path));
}

/** An empty one says nothing, and can be held read-only. */
function writeIfMissing(file: string): void {
  try {
    writeFileSync(file, "", { flag: "wx" });
  } catch (thrown) {
    if (systemCode(thrown) !== "EEXIST") throw thrown;
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
