// Delivery of what has landed into the user's folder, file by file. A file is written only where it still is what it was
// at the start; if one is not, nothing is written at all. Which files there are follows from the two commits, and each
// is either still the old one or already the new one, so a delivery that was killed continues where it was.

import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  type Stats,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { shortHash } from "../../lib/hash.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { bytesOf } from "../git/git-status.ts";
import { type Change, listChanges, type TreeFile } from "./changes.ts";
import { longGitMs, must, type RunRepository, treeError } from "./run-repository.ts";

export interface DeliveryRange {
  /** What the user's folder held. */
  readonly from: string;
  /** What it is to hold. */
  readonly to: string;
}

export interface DeliveryResult {
  /** How many files were written or removed. */
  readonly files: number;
  /** Files that the user changed meanwhile; when there are any, nothing was written, or nothing more. */
  readonly blocked: readonly string[];
}

export async function deliverFiles(repository: RunRepository, range: DeliveryRange): Promise<DeliveryResult> {
  const changes = await listChanges(repository, range);
  const { open, blocked } = await lookAt(repository, changes);
  for (const { name } of changes) {
    if (hasPlainParents(repository.top, name)) rmSync(temporaryFor(repository, name), { force: true });
  }
  if (blocked.length > 0) return { files: 0, blocked: blocked.map(({ name }) => shown(name)) };
  const staging = join(repository.dir, "delivery");
  try {
    await checkOut(repository, staging, open);
    // What goes makes room: a file may become a folder, and a folder a file.
    const order = [...open.filter(({ to }) => to === undefined), ...open.filter(({ to }) => to !== undefined)];
    const late: string[] = [];
    for (const [i, change] of order.entries()) {
      if (i % filesBetweenYields === 0) await new Promise((resolve) => setImmediate(resolve));
      if (!writeChange(repository, staging, change)) late.push(shown(change.name));
    }
    return { files: changes.length - late.length, blocked: late };
  } finally {
    removeFolder(staging);
  }
}

const filesBetweenYields = 200;

interface OpenChange extends Change {
  /** What the file system said of the file when it was compared. */
  readonly stamp: string;
}

/** Those that are still to be written, and those where the user's file is neither the old nor the new one. */
async function lookAt(
  repository: RunRepository,
  changes: readonly Change[],
): Promise<{ readonly open: readonly OpenChange[]; readonly blocked: readonly Change[] }> {
  const { top } = repository;
  const names = new Map(changes.map((change) => [change.name, change]));
  const isAway = (name: string): boolean => isReplacedAbove(top, names, name) || isVacated(top, names, name);
  const stamps = new Map(changes.map(({ name }) => [name, isAway(name) ? "" : stampOf(top, name)]));
  const [notOld, notNew] = await Promise.all([
    differing(repository, "from", changes),
    differing(repository, "to", changes),
  ]);
  const open: OpenChange[] = [];
  const blocked: Change[] = [];
  for (const change of changes) {
    if (isReplacedAbove(top, names, change.name)) {
      if (change.to !== undefined) open.push({ ...change, stamp: "" });
      continue;
    }
    const isBehindLink = !hasPlainParents(top, change.name);
    if (!isBehindLink && !notNew.has(change.name)) continue;
    if (isBehindLink || notOld.has(change.name)) blocked.push(change);
    else open.push({ ...change, stamp: stamps.get(change.name) as string });
  }
  return { open, blocked };
}

/** Files that are not what one side of the changes says. */
async function differing(
  repository: RunRepository,
  side: "from" | "to",
  changes: readonly Change[],
): Promise<ReadonlySet<string>> {
  const { top, git } = repository;
  const entries = changes.flatMap(({ name, [side]: file }) => (file === undefined ? [] : [{ name, file }]));
  const names = new Map(changes.map((change) => [change.name, change]));
  const differ = new Set<string>();
  for (const { name, [side]: file } of changes) {
    if (file !== undefined || lstatOf(top, name) === undefined) continue;
    if (side === "to" || !isVacated(top, names, name)) differ.add(name);
  }
  if (entries.length === 0) return differ;
  const env = await indexOf(repository, `${side}-index`, entries);
  const listed = await git.run(["ls-files", "--modified", "-z"], { env, limitMs: longGitMs });
  rmSync(env.GIT_INDEX_FILE, { force: true });
  if (!listed.ok) throw treeError(`git ls-files: ${listed.stderr}.`);
  for (const name of listed.stdout.toString("latin1").split("\0")) if (name !== "") differ.add(name);
  return differ;
}

/** An index of these entries only, which knows nothing of the files yet: git compares their content. */
async function indexOf(
  { git, dir }: RunRepository,
  name: string,
  entries: readonly { readonly name: string; readonly file: TreeFile }[],
): Promise<{ readonly GIT_INDEX_FILE: string }> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const env = { GIT_INDEX_FILE: join(dir, name) };
  rmSync(env.GIT_INDEX_FILE, { force: true });
  rmSync(`${env.GIT_INDEX_FILE}.lock`, { force: true });
  const lines = entries.map((entry) => `${entry.file.mode} ${entry.file.object}\t${entry.name}\0`);
  await must(git, ["update-index", "-z", "--index-info"], { env, input: Buffer.from(lines.join(""), "latin1") });
  return env;
}

/** The new files, as a checkout would write them, in a folder beside the work trees. */
async function checkOut(repository: RunRepository, staging: string, changes: readonly Change[]): Promise<void> {
  removeFolder(staging);
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  const entries = changes.flatMap(({ name, to: file }) => (file === undefined ? [] : [{ name, file }]));
  if (entries.length === 0) return;
  const env = await indexOf(repository, "to-index", entries);
  const { git, registry } = repository;
  await must(git, ["checkout-index", "--all", `--prefix=${staging}/`], { env, limitMs: longGitMs, registry });
  rmSync(env.GIT_INDEX_FILE, { force: true });
}

/** False when the file was changed after it was compared, or something is in its place. */
function writeChange(repository: RunRepository, staging: string, { name, from, to, stamp }: OpenChange): boolean {
  const { top } = repository;
  if (stampOf(top, name) !== stamp || !hasPlainParents(top, name)) return false;
  const path = bytesOf(top, name);
  try {
    if (to === undefined) {
      rmSync(path);
      removeEmptyParents(top, name);
      return true;
    }
    const folder = parentOf(name);
    if (folder !== "") mkdirSync(bytesOf(top, folder), { recursive: true });
    const source = bytesOf(staging, name);
    const temporary = temporaryFor(repository, name);
    if (to.mode === "120000") symlinkSync(readlinkSync(source, "buffer"), temporary);
    else {
      copyFileSync(source, temporary);
      const before = lstatOf(top, name);
      // Who may read the user's file stays as it is.
      if (before?.isFile() === true && from?.mode === to.mode) chmodSync(temporary, before.mode & 0o777);
    }
    renameSync(temporary, path);
    return true;
  } catch (thrown) {
    if (hasPlainParents(top, name)) rmSync(temporaryFor(repository, name), { force: true });
    if (inTheWay.has(systemCode(thrown) ?? "")) return false;
    throw thrown;
  }
}

/** Something that git does not track stands there, or the user may not write. */
const inTheWay: ReadonlySet<string> = new Set(["EISDIR", "ENOTDIR", "ENOTEMPTY", "EEXIST", "EACCES", "EPERM", "EROFS"]);

/** Always the same for a file, so that what a kill leaves is found and removed. */
function temporaryFor({ top, run }: RunRepository, name: string): Buffer {
  const folder = parentOf(name);
  const file = `.atomic-${run.slice(0, 8)}-${shortHash(name)}.tmp`;
  return bytesOf(top, folder === "" ? file : `${folder}/${file}`);
}

function parentOf(name: string): string {
  const folder = dirname(name);
  return folder === "." ? "" : folder;
}

type ChangesByName = ReadonlyMap<string, Change>;

/** One of its folders is a file or a link, and is to be, or has been, replaced: nothing of this name is there. */
function isReplacedAbove(top: string, changes: ChangesByName, name: string): boolean {
  for (let folder = parentOf(name); folder !== ""; folder = parentOf(folder)) {
    if (changes.has(folder)) return lstatOf(top, folder)?.isDirectory() === false;
  }
  return false;
}

/** A folder that becomes a file: all that is in it is removed before. */
function isVacated(top: string, changes: ChangesByName, name: string): boolean {
  if (changes.get(name)?.from !== undefined || lstatOf(top, name)?.isDirectory() !== true) return false;
  const entries = readdirSync(bytesOf(top, name), { encoding: "buffer" }).map((each) => each.toString("latin1"));
  return (
    entries.length > 0 &&
    entries.every((each) => {
      const inner = changes.get(`${name}/${each}`);
      return inner === undefined ? isVacated(top, changes, `${name}/${each}`) : inner.to === undefined;
    })
  );
}

/** A link among its folders would lead elsewhere. */
function hasPlainParents(top: string, name: string): boolean {
  for (let folder = parentOf(name); folder !== ""; folder = parentOf(folder)) {
    const found = lstatOf(top, folder);
    if (found !== undefined && (found.isSymbolicLink() || !found.isDirectory())) return false;
  }
  return true;
}

function removeEmptyParents(top: string, name: string): void {
  for (let folder = parentOf(name); folder !== ""; folder = parentOf(folder)) {
    try {
      rmdirSync(bytesOf(top, folder));
    } catch (thrown) {
      if (systemCode(thrown) === undefined) throw thrown;
      return;
    }
  }
}

function stampOf(top: string, name: string): string {
  const found = lstatOf(top, name);
  return found === undefined ? "" : `${found.ino} ${found.size} ${found.mode} ${found.mtimeMs} ${found.ctimeMs}`;
}

function lstatOf(top: string, name: string): Stats | undefined {
  try {
    return lstatSync(bytesOf(top, name));
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

function shown(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}
