// The work tree of one task: a checkout with its own repository (worker-repository.ts), outside the user's. A
// mark, written last, distinguishes a complete tree from one that a kill left half made; a half-made one is made again.
//
// What the tree holds is read and set through an index of ours, in the user's repository: whatever the worker does to
// its own repository, the files count, and a killed git leaves no lock that matters.

import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { isSystemError, writeFileAtomically } from "../../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { namesIn } from "../../lib/names-in.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import type { Git } from "../git/git.ts";
import { discardTree, roomForTree } from "./discarded-trees.ts";
import { withNewObjects } from "../git/keep-whole.ts";
import { copyFiltered, dropNewFiltered, markUnchanged, untrackedFiltered } from "./filtered-files.ts";
import { furnishTree, sharedFile } from "./furnish.ts";
import { fillNested } from "./nested-trees.ts";
import { removeFiles } from "./remove-files.ts";
import { gitRefused, longGitMs, must, type RunRepository, treeError } from "./run-repository.ts";
import { belongsTo, isDiscarded, readTreeRecords, writeRecord } from "./tree-records.ts";
import { treePrefix } from "../sessions/tree-prefix.ts";
import { madeFile, takeAhead, treePlace, type TreePlace } from "./tree-places.ts";
import { pointWorkerRepository, repairWorkerRepository } from "./worker-repository.ts";

export interface WorkTree {
  readonly folder: string;
  /** What we know about it, in the user's repository. */
  readonly record: string;
  /** For the user's repository, with the files of this tree. */
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

const indexFile = "index";
/** What the tree was last set to. */
const contentFile = "content";
/** The commit that it shows as HEAD. */
const headFile = "head";
const conflictsFile = "conflicts";
const foreignFile = "foreign";
const newFilteredFile = "newly-filtered";

/** The tree as the worker left it, or a new one. */
export async function ensureTree(repository: RunRepository, name: string, start: TreeStart): Promise<WorkTree> {
  const found = await findTree(repository, name, start);
  if (found !== undefined) return found;
  await dropTree(repository, name);
  if (takeAhead(repository, name)) return startTree(repository, name, start);
  await roomForTree(repository);
  const tree = openTree(repository, name, true);
  const { folder, record } = tree;
  writeRecord(record, { run: repository.run, folder });
  makeFolder(folder);
  try {
    await readContent(tree, start.content);
    await copyFiltered(tree, ownIndex(tree));
    await pointWorker(tree, start.head);
    await fillNested(repository, folder, record);
    await furnishTree(repository, folder, record);
  } catch (thrown) {
    if (!isSystemError(thrown) && !AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    const space = spaceNote(folder);
    await removeTree(repository, name);
    throw treeError(`${messageOf(thrown)}${space}`);
  }
  await repository.setUp?.(folder);
  markMade(tree, start);
  return tree;
}

function markMade({ record }: WorkTree, { content }: TreeStart): void {
  writeFileAtomically(join(record, madeFile), `${content}\n`);
}

/** One that was made ahead, brought to what has landed since. */
async function startTree(repository: RunRepository, name: string, start: TreeStart): Promise<WorkTree> {
  const tree = openTree(repository, name, true);
  const made = readStart(tree);
  if (made.content !== start.content || made.head !== start.head) await setTree(tree, start.content, start.head);
  markMade(tree, start);
  return tree;
}

/** The tree with whatever is in it; undefined if there is none, or only a half-made one. */
export async function findTree(
  repository: RunRepository,
  name: string,
  start: TreeStart,
): Promise<WorkTree | undefined> {
  const tree = openTree(repository, name, false);
  if (!existsSync(join(tree.record, madeFile)) || !isFolder(tree.folder)) return undefined;
  await repairWorkerRepository(repository, tree.folder, { head: start.head, index: join(tree.record, indexFile) });
  return tree;
}

/**
 * Git's name of all files in the tree that are not ignored, as objects in the repository. `isAnew`: every file is read
 * again, also those that have not changed.
 */
export async function snapshotTree(tree: WorkTree, { isAnew = false } = {}): Promise<string> {
  const write = async (): Promise<string> => {
    await readFiles(tree);
    return must(tree.git, ["write-tree"], { env: ownIndex(tree) });
  };
  if (isAnew) await forgetIndex(tree);
  try {
    return await write();
  } catch (thrown) {
    if (!AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    // Objects that only the index names may have been pruned by the user's `git gc`: all files are read again.
    await forgetIndex(tree);
    return write();
  }
}

/** The same for a name only, whose objects may be collected; also while a collector removes them at once. */
export async function nameTree(tree: WorkTree): Promise<string> {
  try {
    return await snapshotTree(tree);
  } catch (thrown) {
    if (!AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    return withNewObjects(tree.repository, gitRefused, (git) =>
      snapshotTree({ ...tree, git: git.withFilesIn(tree.folder) }, { isAnew: true }),
    );
  }
}

async function forgetIndex(tree: WorkTree): Promise<void> {
  const index = join(tree.record, indexFile);
  dropLock(index);
  rmSync(index, { force: true });
  await must(tree.git, ["read-tree", contentOf(tree)], { env: ownIndex(tree) });
  await markUnchanged(tree, ownIndex(tree));
}

function contentOf({ record }: WorkTree): string {
  return readFileSync(join(record, contentFile), "utf8").trim();
}

async function readFiles(tree: WorkTree): Promise<void> {
  dropLock(join(tree.record, indexFile));
  const { nested = [], filters = [] } = tree.repository;
  const apart = [...namesOf(tree, sharedFile), ...nested].map((name) => Buffer.from(name).toString("latin1"));
  const left = [...apart, ...untrackedFiltered(tree)];
  for (let round = 0; round < maxForeignRepositories; round++) {
    const foreign = await add(tree, [...left, ...foreignIn(tree)]);
    if (foreign.length === 0) break;
    writeNames(tree, foreignFile, [...foreignIn(tree), ...foreign]);
    const input = Buffer.from(foreign.map((name) => `${name}\0`).join(""), "latin1");
    await must(tree.git, ["update-index", "-z", "--force-remove", "--stdin"], { env: ownIndex(tree), input });
  }
  if (filters.length > 0)
    writeNames(tree, newFilteredFile, await dropNewFiltered(tree, ownIndex(tree), contentOf(tree)));
}

/** A worker that makes more repositories than that in one turn has lost its way. */
const maxForeignRepositories = 1000;

/** Reads all files but those; gives repositories that stand in the way, because their files are not ours to read. */
async function add(tree: WorkTree, left: readonly string[]): Promise<readonly string[]> {
  const paths = [".", ...left.map((name) => `:(exclude,top,literal)${name}`)];
  const { ok, stderr } = await tree.git.run(["add", "-A", "--pathspec-from-file=-", "--pathspec-file-nul"], {
    env: ownIndex(tree),
    input: Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1"),
    limitMs: longGitMs,
    registry: tree.repository.registry,
  });
  const found = [...stderr.matchAll(/^warning: adding embedded git repository: (.+)$/gm)];
  const empty = [...stderr.matchAll(/^error: '(.+)\/' does not have a commit checked out$/gm)];
  const foreign = [...found, ...empty].map(([, name = ""]) => Buffer.from(name).toString("latin1"));
  if (!ok && foreign.length === 0) throw treeError(`git add: ${stderr || "failed"}.`);
  return foreign;
}

/** What the tree was last set to. Throws for one that was never complete. */
export function startOf(repository: RunRepository, name: string): TreeStart {
  const place = treePlace(repository, name);
  if (!existsSync(join(place.record, madeFile))) throw treeError(`there is no work tree ${name} any more.`);
  return readStart(place);
}

function readStart({ record }: Pick<WorkTree, "record">): TreeStart {
  const read = (file: string): string => readFileSync(join(record, file), "utf8").trim();
  return { content: read(contentFile), head: read(headFile) };
}

/** The commit whose files it got last, with or without a worker's work on top; undefined for one of an older version. */
export function headOf({ record }: WorkTree): string | undefined {
  const file = join(record, headFile);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
}

/** Files of the tree with conflict markers that the worker has to remove. */
export function conflictsIn(repository: RunRepository, name: string): readonly string[] {
  return namesOf(treePlace(repository, name), conflictsFile);
}

export function writeConflicts(repository: RunRepository, name: string, files: readonly string[]): void {
  writeNames(treePlace(repository, name), conflictsFile, files);
}

/** Repositories that the worker made in its folder. */
export function foreignIn(tree: WorkTree): readonly string[] {
  return namesOf(tree, foreignFile);
}

/** Files that the worker put under a filter. */
export function newFiltered(tree: WorkTree): readonly string[] {
  return namesOf(tree, newFilteredFile);
}

function namesOf({ record }: Pick<WorkTree, "record">, name: string): readonly string[] {
  const file = join(record, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly string[]) : [];
}

function writeNames({ record }: Pick<WorkTree, "record">, name: string, names: readonly string[]): void {
  writeFileAtomically(join(record, name), JSON.stringify(names));
}

/** Sets the files to those of a commit or tree; ignored files stay, all others that it does not have go. */
export async function setTree(tree: WorkTree, content: string, head: string): Promise<void> {
  // Only so that the index knows them, and files that the content does not have go.
  await withNewObjects(tree.repository, gitRefused, (git) => readFiles({ ...tree, git: git.withFilesIn(tree.folder) }));
  await readContent(tree, content);
  await pointWorker(tree, head);
}

async function readContent(tree: WorkTree, content: string): Promise<void> {
  const { registry } = tree.repository;
  await must(tree.git, ["read-tree", "--reset", "-u", content], { env: ownIndex(tree), limitMs: longGitMs, registry });
  writeFileAtomically(join(tree.record, contentFile), `${content}\n`);
}

async function pointWorker({ repository, folder, record }: WorkTree, head: string): Promise<void> {
  writeFileAtomically(join(record, headFile), `${head}\n`);
  await pointWorkerRepository(repository, folder, { head, index: join(record, indexFile) });
}

/** Removes it with everything in it, and returns when it is gone. What is worth keeping was committed before. */
export async function removeTree(repository: RunRepository, name: string): Promise<void> {
  const { folder, record } = treePlace(repository, name);
  if (!isOurs(repository, { folder, record })) return;
  rmSync(join(record, madeFile), { force: true });
  await removeFiles(folder);
  removeFolder(record);
}

/** The same, in the background. The name is free at once. */
export async function dropTree(repository: RunRepository, name: string): Promise<void> {
  const place = treePlace(repository, name);
  if (!isOurs(repository, place)) return;
  // A folder without a record was left in the instant before that was written: there is nothing in it.
  if (!isThere(place.record) || !discardTree(repository, name)) await removeTree(repository, name);
}

/** False when there is none. */
function isOurs(repository: RunRepository, { folder, record }: TreePlace): boolean {
  if (isThere(record) && !belongsTo(record, repository.run))
    throw treeError(`${record} belongs to another run than this one. Remove it if it is not needed.`);
  return isThere(folder) || isThere(record);
}

/** Names of the trees that this run has, half-made ones included, and those that are being removed left out. */
export function listTrees(repository: RunRepository): readonly string[] {
  const prefix = treePrefix(repository.run);
  const records = readTreeRecords(repository.commonDir, repository.run);
  const claimed = new Set(records.map(({ folder }) => folder));
  const folders = namesIn(repository.dir).filter(
    (name) => name.startsWith(prefix) && !claimed.has(join(repository.dir, name)),
  );
  const names = new Set([...records.map(({ name }) => name), ...folders]);
  return [...names].filter((name) => !isDiscarded(name)).map((name) => name.slice(prefix.length));
}

function openTree(repository: RunRepository, name: string, isNew: boolean): WorkTree {
  const place = treePlace(repository, name);
  return { ...place, git: repository.git.withFilesIn(place.folder), repository, isNew };
}

function ownIndex({ record }: WorkTree): Record<string, string> {
  return { GIT_INDEX_FILE: join(record, indexFile) };
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

/** Git does not say why it can't write a file. */
function spaceNote(folder: string): string {
  const { bavail, bsize } = statfsSync(folder);
  const megabytes = Math.floor((bavail * bsize) / 1024 ** 2);
  return megabytes < fewMegabytes ? ` Its disk has ${megabytes} MB left: make room, or set worktrees.dir.` : "";
}

const fewMegabytes = 1024;

/** A worker may have put a link in its place. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
