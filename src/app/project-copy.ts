// The files of a project, for runs that must not touch the project itself. In a repository: what git tracks or would
// track, in a new repository with one commit. Elsewhere: everything except node_modules. What git ignores (built
// files, packages, secrets) is not copied.

import {
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import { Git } from "../workflows/git/git.ts";

/** Copied once per run: more than this takes longer than anyone waits for a test. */
const maxFiles = 20_000;
const maxBytes = 500 * 1024 * 1024;

export interface ListedFiles {
  readonly folder: string;
  /** Relative to the folder. */
  readonly names: readonly string[];
  readonly isRepository: boolean;
}

/** Throws USAGE when there are too many of them. */
export async function listProjectFiles(project: string): Promise<ListedFiles> {
  const folder = realpathSync(project);
  const tracked = await filesInRepository(folder);
  let bytes = 0;
  const names: string[] = [];
  for (const name of tracked ?? filesBelow(folder, "")) {
    const found = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (found === undefined || !isCopied(found)) continue;
    bytes += found.isFile() ? found.size : 0;
    names.push(name);
    if (names.length > maxFiles || bytes > maxBytes) throw tooMuch(folder);
  }
  return { folder, names, isRepository: tracked !== undefined };
}

export async function copyProjectFiles({ folder, names, isRepository }: ListedFiles, to: string): Promise<void> {
  mkdirSync(to, { recursive: true });
  for (const name of names) {
    const target = join(to, name);
    mkdirSync(dirname(target), { recursive: true });
    if (lstatSync(join(folder, name)).isSymbolicLink()) symlinkSync(readlinkSync(join(folder, name)), target);
    else copyFileSync(join(folder, name), target, constants.COPYFILE_FICLONE);
  }
  if (isRepository) await makeRepository(to);
}

/** Undefined if the folder is in no repository. Names that are not valid text are left out. */
async function filesInRepository(folder: string): Promise<readonly string[] | undefined> {
  const found = await Git.atTop(folder);
  if (found === undefined) return undefined;
  // What git ignores must not be copied: if git can't tell, nothing is.
  if ("problem" in found) throw notListed(folder, found.problem);
  const { ok, stdout, stderr } = await found.git.run(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  if (!ok) throw notListed(folder, stderr);
  const way = relative(realpathSync(found.top), folder);
  const prefix = way === "" ? "" : `${way}/`;
  const names = stdout.toString("utf8").split("\0");
  return [...new Set(names)].flatMap((name) =>
    name !== "" && name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
  );
}

function* filesBelow(folder: string, below: string): Generator<string> {
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const name = join(below, entry.name);
    if (!entry.isDirectory()) yield name;
    else if (entry.name !== "node_modules") yield* filesBelow(folder, name);
  }
}

/** A folder is a repository inside this one, or a submodule; a pipe or a device holds no files. */
function isCopied(found: Stats): boolean {
  return found.isFile() || found.isSymbolicLink();
}

async function makeRepository(folder: string): Promise<void> {
  const made = await Git.init(folder);
  const found = made.ok ? await Git.atTop(folder) : { problem: made.stderr };
  if (found === undefined || "problem" in found) throw noRepository(found?.problem ?? "git does not find it");
  const author = ["-c", "user.name=Atomic", "-c", "user.email=atomic@localhost", "-c", "commit.gpgSign=false"];
  for (const words of [
    ["add", "--all"],
    [...author, "commit", "--quiet", "--allow-empty", "--message", "The files of the project"],
  ]) {
    const done = await found.git.run(words);
    if (!done.ok) throw noRepository(done.stderr);
  }
}

function notListed(folder: string, problem: string): AtomicError {
  return new AtomicError(
    "USAGE",
    `The files of ${folder} can't be listed with git, so no copy of them was made: ${problem} Name a folder to copy with --cwd DIR.`,
  );
}

function noRepository(problem: string): Error {
  return new Error(`The copy of the project could not be made a repository: ${problem}`);
}

function tooMuch(folder: string): AtomicError {
  return new AtomicError(
    "USAGE",
    `${folder} holds more than ${maxFiles} files or ${maxBytes / 1024 / 1024} MB, and every run of the test needs a copy of them. Name a smaller folder to copy with --cwd DIR.`,
  );
}
