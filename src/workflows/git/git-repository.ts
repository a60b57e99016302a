// Which repository a folder belongs to, verified. A `.git` file, a link or `core.worktree` can lead
// anywhere: to another of the user's repositories, which would get our refs and objects, or to a folder whose files
// don't belong to this project. A repository counts if it is in the top folder, or leads back to that folder.

import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isReallyInside } from "../../lib/real-path.ts";
import { systemCode } from "../../lib/atomic-file.ts";
import { messageOf } from "../../lib/errors.ts";
import { keptKinds } from "./kept-refs.ts";

export interface Repository {
  /** The folder with the work tree. */
  readonly top: string;
  readonly gitDir: string;
  /** The same for all work trees of the repository. */
  readonly commonDir: string;
}

/** Reads `core.worktree` of the repository in that folder. */
export type ReadWorkTree = (gitDir: string) => Promise<string | undefined>;

type Checked = Repository | { readonly problem: string };

/** `top` is what git calls the top of the work tree that `cwd` is in. */
export async function checkRepository(top: string, cwd: string, readWorkTree: ReadWorkTree): Promise<Checked> {
  try {
    return await check(top, cwd, readWorkTree);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return { problem: messageOf(thrown) };
  }
}

async function check(top: string, cwd: string, readWorkTree: ReadWorkTree): Promise<Checked> {
  if (!isReallyInside(cwd, top))
    return { problem: `the work tree of this repository is ${top}, and ${cwd} is not in it` };
  const realTop = realpathSync(top);
  const dot = join(realTop, ".git");
  const gitDir = leadsTo(dot);
  if (gitDir === undefined) return { problem: `${top} has no repository` };
  const commonDir = commonDirOf(gitDir);
  if (commonDir !== undefined && isReallyInside(gitDir, realTop) && isReallyInside(commonDir, realTop)) {
    const link = linkIn(commonDir);
    return link === undefined ? { top, gitDir, commonDir } : { problem: `${link} is a link out of the repository` };
  }
  if (commonDir !== undefined && (await leadsBack(gitDir, commonDir, dot, readWorkTree)))
    return { top, gitDir, commonDir };
  return {
    problem: `${dot} leads to the repository ${commonDir ?? gitDir}, which does not lead back. If it is yours, run \`git config core.worktree ${JSON.stringify(realTop)}\` in ${realTop}`,
  };
}

/** The folder that `.git` is, links to, or names. */
function leadsTo(dot: string): string | undefined {
  try {
    const real = realpathSync(dot);
    if (lstatSync(real).isDirectory()) return real;
    const named = /^gitdir: ([^\0]+?)[\r\n]*$/.exec(readName(real))?.[1];
    return named === undefined ? undefined : realpathSync(resolve(dirname(dot), named));
  } catch (thrown) {
    return unlessMissing(thrown);
  }
}

const maxFileBytes = 64 * 1024;

/** A file that holds a path. A pipe would never end. */
function readName(file: string): string {
  const found = statSync(file);
  if (!found.isFile() || found.size > maxFileBytes)
    throw Object.assign(new Error(`${file} is not a valid path`), { code: "EINVAL" });
  return readFileSync(file, "utf8").replace(/[\r\n]+$/, "");
}

/** Undefined when it names one that is not there. */
function commonDirOf(gitDir: string): string | undefined {
  let named: string;
  try {
    named = readName(join(gitDir, "commondir"));
  } catch (thrown) {
    return unlessMissing(thrown) ?? gitDir;
  }
  try {
    return realpathSync(resolve(gitDir, named));
  } catch (thrown) {
    return unlessMissing(thrown);
  }
}

/** A linked work tree is named in its repository, a submodule's work tree in the submodule's configuration. */
async function leadsBack(gitDir: string, commonDir: string, dot: string, readWorkTree: ReadWorkTree): Promise<boolean> {
  if (gitDir !== commonDir) {
    if (dirname(gitDir) !== join(commonDir, "worktrees")) return false;
    const path = resolve(gitDir, readName(join(gitDir, "gitdir")));
    return basename(path) === ".git" && realpathSync(dirname(path)) === dirname(dot);
  }
  const workTree = await readWorkTree(gitDir);
  return workTree !== undefined && realpathSync(resolve(gitDir, workTree)) === dirname(dot);
}

/** Where we add objects and refs. A link among these would have git write outside the repository. */
function linkIn(commonDir: string): string | undefined {
  const kept = keptKinds.map((kind) => `refs/atomic/${kind}`);
  const refs = ["refs", "refs/atomic", "refs/atomic/run", ...kept, "packed-refs", "reftable", "logs", "objects"];
  const objects = entriesOf(join(commonDir, "objects")).map((name) => `objects/${name}`);
  return [...refs, "worktrees", "atomic", "atomic/trees", ...objects].map((name) => join(commonDir, name)).find(isLink);
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    unlessMissing(thrown);
    return [];
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (thrown) {
    unlessMissing(thrown);
    return false;
  }
}

function unlessMissing(thrown: unknown): undefined {
  const code = systemCode(thrown);
  if (code !== "ENOENT" && code !== "ENOTDIR") throw thrown;
  return undefined;
}
