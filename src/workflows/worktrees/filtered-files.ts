// Files under a filter (Git LFS). What git stores of such a file is not what the user has, and no filter of a
// repository is run here. So a work tree gets the user's files as they are, and git is configured to treat them as
// unchanged: they are never read, never overwritten, and never land. What a worker does to them is reported.

import { closeSync, constants, copyFileSync, lstatSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode, writeFileAtomically } from "../../lib/atomic-file.ts";
import { bytesOf } from "../git/git-status.ts";
import type { Git, GitOptions } from "../git/git.ts";
import { must, type RunRepository, treeError } from "./run-repository.ts";

/** What is needed of a work tree. */
export interface FilteredPlace {
  readonly folder: string;
  readonly record: string;
  readonly git: Git;
  readonly repository: RunRepository;
}

interface FilteredFile {
  /** Each character is one byte. */
  readonly name: string;
  readonly isTracked: boolean;
  /** How it looked when the tree was made; null where the user had none. */
  readonly stamp: string | null;
}

const listFile = "filtered";

/** The names of filters that files of the repository are under. */
export async function filtersInUse(git: Git): Promise<readonly string[]> {
  const { stdout } = await git.run(["config", "--name-only", "-z", "--get-regexp", "^filter\\."]);
  const keys = stdout.toString("utf8").split("\0");
  const names = new Set(keys.flatMap((key) => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []));
  const used: string[] = [];
  // Anything else can't be written in a pathspec; nor is it ever the name of a filter in use.
  for (const name of [...names].filter((each) => /^[\w-]+$/.test(each)))
    if ((await listFiltered(git, [name], ["--cached", "--others", "--exclude-standard"])).length > 0) used.push(name);
  return used;
}

export async function listFiltered(
  git: Git,
  filters: readonly string[],
  which: readonly string[],
  options: GitOptions = {},
): Promise<readonly string[]> {
  if (filters.length === 0) return [];
  const paths = filters.map((name) => `:(top,attr:filter=${name})`);
  const { ok, stdout, stderr } = await git.run(["ls-files", "-z", ...which, "--", ...paths], options);
  if (!ok) throw treeError(`git ls-files: ${stderr || "failed"}.`);
  return stdout
    .toString("latin1")
    .split("\0")
    .filter((name) => name !== "");
}

/** Puts the user's files into a new tree. To be called before its first snapshot. */
export async function copyFiltered(tree: FilteredPlace, env: Readonly<Record<string, string>>): Promise<void> {
  const { filters = [], git, top } = tree.repository;
  if (filters.length === 0) return;
  // The tree's own files decide which these are; of the untracked ones the user's.
  const tracked = await listFiltered(tree.git, filters, ["--cached"], { env });
  const others = await listFiltered(git, filters, ["--others", "--exclude-standard"]);
  const known = new Set(tracked);
  const names = [...tracked, ...others.filter((name) => !known.has(name))];
  const files = names.map((name): FilteredFile => {
    const target = bytesOf(tree.folder, name);
    if (statOf(bytesOf(top, name))?.isFile() === true) {
      mkdirSync(bytesOf(tree.folder, dirname(name)), { recursive: true });
      copyFileSync(bytesOf(top, name), target, constants.COPYFILE_FICLONE);
    }
    return { name, isTracked: known.has(name), stamp: stampOf(target) };
  });
  writeFileAtomically(join(tree.record, listFile), JSON.stringify(files));
  await markUnchanged(tree, env);
}

/** In an index that knows nothing of them yet. */
export async function markUnchanged(
  tree: Pick<FilteredPlace, "git" | "record">,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const tracked = readList(tree).filter(({ isTracked }) => isTracked);
  if (tracked.length === 0) return;
  const input = Buffer.from(tracked.map(({ name }) => `${name}\0`).join(""), "latin1");
  await must(tree.git, ["update-index", "-z", "--skip-worktree", "--stdin"], { env, input });
}

/** Names that are not to be read. */
export function untrackedFiltered(tree: Pick<FilteredPlace, "record">): readonly string[] {
  return readList(tree).flatMap(({ name, isTracked }) => (isTracked ? [] : [name]));
}

/** What the worker put under a filter stays out of the index, or as it was. Gives their names. */
export async function dropNewFiltered(
  tree: FilteredPlace,
  env: Readonly<Record<string, string>>,
  content: string,
): Promise<readonly string[]> {
  const { filters = [] } = tree.repository;
  const known = new Set(readList(tree).map(({ name }) => name));
  const now = await listFiltered(tree.git, filters, ["--cached"], { env });
  const added = now.filter((name) => !known.has(name));
  if (added.length === 0) return [];
  const listed = await tree.git.run(["ls-tree", "-r", "-z", content]);
  if (!listed.ok) throw treeError(`git ls-tree: ${listed.stderr || "failed"}.`);
  const before = new Map(
    listed.stdout
      .toString("latin1")
      .split("\0")
      .map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))] as const),
  );
  const lines = added.map((name) => {
    const [mode = "0", , object = "0".repeat(content.length)] = before.get(name)?.split(" ") ?? [];
    return `${mode} ${object}\t${name}\0`;
  });
  await must(tree.git, ["update-index", "-z", "--index-info"], { env, input: Buffer.from(lines.join(""), "latin1") });
  return added;
}

/** Those that are no longer what the user has. */
export function changedFiltered(tree: FilteredPlace): readonly string[] {
  return readList(tree).flatMap(({ name, stamp }) => {
    const path = bytesOf(tree.folder, name);
    if (stampOf(path) === stamp) return [];
    return hasSameContent(path, bytesOf(tree.repository.top, name)) ? [] : [name];
  });
}

function readList({ record }: Pick<FilteredPlace, "record">): readonly FilteredFile[] {
  try {
    return JSON.parse(readFileSync(join(record, listFile), "utf8")) as readonly FilteredFile[];
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return [];
    throw thrown;
  }
}

function statOf(path: Buffer) {
  try {
    return lstatSync(path);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

function stampOf(path: Buffer): string | null {
  const found = statOf(path);
  return found === undefined ? null : `${found.size} ${found.mtimeMs} ${found.mode}`;
}

const chunkBytes = 1024 * 1024;

function hasSameContent(one: Buffer, other: Buffer): boolean {
  const [a, b] = [statOf(one), statOf(other)];
  if (a?.isFile() !== true || b?.isFile() !== true) return a === undefined && b === undefined;
  if (a.size !== b.size) return false;
  const files = [openSync(one, "r"), openSync(other, "r")] as const;
  const [left, right] = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)];
  try {
    for (;;) {
      const read = readSync(files[0], left);
      if (readSync(files[1], right) !== read || left.compare(right, 0, read, 0, read) !== 0) return false;
      if (read === 0) return true;
    }
  } finally {
    for (const file of files) closeSync(file);
  }
}
