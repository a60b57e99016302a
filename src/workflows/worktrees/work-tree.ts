// The work tree of one task: a checkout of its own, detached and locked, outside of the repository. A mark, written
// last, tells a complete tree from one that a kill left half made; a half-made one is removed and made again.
//
// What the tree holds is read and set through an index of ours, beside the worker's own: whatever the worker does to
// its index, its HEAD or its branches, the files count, and a killed git leaves no lock that matters.

import { spawn } from "node:child_process";
import { copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isSystemError, writeFileAtomically } from "../../lib/atomic-file.ts";
import { messageOf } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import type { Git } from "../git/git.ts";
import { addWorktree } from "./add-worktree.ts";
import { furnishTree, sharedFile } from "./furnish.ts";
import { longGitMs, must, type RunRepository, treeError } from "./run-repository.ts";
import { belongsTo, namesIn, readTreeRecords, treePrefix } from "./tree-records.ts";

export interface WorkTree {
  readonly folder: string;
  /** The tree's own folder inside the repository. */
  readonly gitDir: string;
  readonly git: Git;
  readonly repository: RunRepository;
  /** It was made just now: nothing of an earlier worker is in it. */
  readonly isNew: boolean;
}

/** What a tree is made with. */
export interface TreeStart {
  /** The commit whose files it holds. */
  readonly content: string;
  /** The commit that the worker sees as HEAD. */
  readonly head: string;
}

const markFile = "atomic-made";
const indexFile = "atomic-index";

/** The tree as the worker left it, or a new one. */
export async function ensureTree(repository: RunRepository, name: string, start: TreeStart): Promise<WorkTree> {
  const { folder, gitDir } = placeOf(repository, name);
  if (existsSync(join(gitDir, markFile)) && existsSync(folder)) {
    writeLink(folder, gitDir);
    return openTree(repository, folder, gitDir, false);
  }
  await removeTree(repository, name);
  makeFolder(repository.dir);
  await addWorktree(repository, folder, start.head);
  const tree = await openTree(repository, folder, gitDir, true);
  await checkOut(tree, start.content);
  await furnishTree(repository, folder, gitDir);
  await repository.setUp?.(folder);
  writeFileAtomically(join(gitDir, markFile), `${start.content}\n`);
  return tree;
}

/** The tree with whatever is in it; undefined when there is none, or only a half-made one. */
export async function findTree(repository: RunRepository, name: string): Promise<WorkTree | undefined> {
  const { folder, gitDir } = placeOf(repository, name);
  if (!existsSync(join(gitDir, markFile)) || !existsSync(folder)) return undefined;
  writeLink(folder, gitDir);
  return openTree(repository, folder, gitDir, false);
}

/** Git's name of all files in the tree that are not ignored, as objects in the repository. */
export async function snapshotTree(tree: WorkTree): Promise<string> {
  await readFiles(tree);
  return must(tree.git, ["write-tree"], { env: ownIndex(tree) });
}

async function readFiles(tree: WorkTree): Promise<void> {
  dropLock(join(tree.gitDir, indexFile));
  const shared = sharedIn(tree).map((name) => `:(exclude,top,literal)${name}`);
  await must(tree.git, ["add", "-A", "--", ".", ...shared], {
    env: ownIndex(tree),
    limitMs: longGitMs,
    registry: tree.repository.registry,
  });
}

function sharedIn({ gitDir }: WorkTree): readonly string[] {
  const file = join(gitDir, sharedFile);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly string[]) : [];
}

/** Sets the files to those of a commit or tree; ignored files stay, all others that it does not have go. */
export async function setTree(tree: WorkTree, content: string, head: string): Promise<void> {
  await readFiles(tree);
  await checkOut(tree, content);
  dropLock(join(tree.gitDir, "HEAD"));
  await must(tree.git, ["update-ref", "--no-deref", "HEAD", head]);
}

async function checkOut(tree: WorkTree, content: string): Promise<void> {
  const { registry } = tree.repository;
  await must(tree.git, ["read-tree", "--reset", "-u", content], { env: ownIndex(tree), limitMs: longGitMs, registry });
  // The worker sees the same: its own index is replaced whole.
  const index = join(tree.gitDir, "index");
  dropLock(index);
  copyFileSync(join(tree.gitDir, indexFile), `${index}.atomic`);
  renameSync(`${index}.atomic`, index);
}

/** Removes it with everything in it. What is worth keeping was committed before. */
export async function removeTree(repository: RunRepository, name: string): Promise<void> {
  const { folder, gitDir } = placeOf(repository, name);
  if (!existsSync(folder) && !isThere(gitDir)) return;
  if (isThere(gitDir) && !belongsTo(gitDir, repository.run))
    throw treeError(`${gitDir} belongs to another work tree than this run's. Remove it if it is yours.`);
  rmSync(join(gitDir, markFile), { force: true });
  await removeFiles(folder);
  removeFolder(gitDir);
}

/** In another process: many files take seconds, in which this one would do nothing else. */
async function removeFiles(folder: string): Promise<void> {
  if (!isThere(folder)) return;
  await new Promise<void>((resolve) => {
    const child = spawn("/bin/rm", ["-rf", "--", folder], { stdio: "ignore" });
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  // What it could not remove, this says why.
  removeFolder(folder);
}

/** Names of the trees that this run has, half-made ones included. */
export function listTrees(repository: RunRepository): readonly string[] {
  const prefix = treePrefix(repository.run);
  const records = readTreeRecords(repository.commonDir, repository.run).map(({ name }) => name);
  const folders = namesIn(repository.dir).filter((name) => name.startsWith(prefix));
  return [...new Set([...records, ...folders])].map((name) => name.slice(prefix.length));
}

function placeOf(repository: RunRepository, name: string): { readonly folder: string; readonly gitDir: string } {
  const last = `${treePrefix(repository.run)}${name}`;
  return { folder: join(repository.dir, last), gitDir: join(repository.commonDir, "worktrees", last) };
}

async function openTree(repository: RunRepository, folder: string, gitDir: string, isNew: boolean): Promise<WorkTree> {
  const git = await repository.git.inTree(folder, gitDir);
  if ("problem" in git) throw treeError(`${folder}: ${git.problem}.`);
  return { folder, gitDir, git, repository, isNew };
}

function ownIndex({ gitDir }: WorkTree): Record<string, string> {
  return { GIT_INDEX_FILE: join(gitDir, indexFile) };
}

/** A worker may have removed or replaced it. */
function writeLink(folder: string, gitDir: string): void {
  const link = join(folder, ".git");
  const wanted = `gitdir: ${gitDir}\n`;
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found?.isFile() === true && readFileSync(link, "utf8") === wanted) return;
  if (found !== undefined) removeFolder(link);
  writeFileAtomically(link, wanted, "shared");
}

/** Only this run uses the file, and its one owner is here: a lock was left by a git that was killed. */
function dropLock(file: string): void {
  rmSync(`${file}.lock`, { force: true });
}

function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    throw treeError(`${dir} can't be made: ${messageOf(thrown)}.`);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
