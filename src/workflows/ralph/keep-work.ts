// Before the first worker starts: the user's uncommitted and untracked files are kept under a private ref, as they are
// on disk, byte for byte. Only objects and one ref are added; the index, the work tree and the branches stay as they are.

import { lstat, readFile, readlink } from "node:fs/promises";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { bytesOf, type ChangedFile, readGitStatus } from "../git/git-status.ts";
import { Git, type GitOptions } from "../git/git.ts";

export interface KeptWork {
  /** The ref that holds it; undefined when there was nothing to keep. */
  readonly ref: string | undefined;
  readonly files: number;
  /** Why nothing could be kept although there may have been something. */
  readonly note: string | undefined;
}

export async function keepWork(cwd: string, run: string): Promise<KeptWork> {
  const found = await Git.atTop(cwd);
  if (found === undefined) {
    const why = Git.isInstalled(cwd) ? "The folder is in no git repository" : "No git program was found";
    return { ref: undefined, files: 0, note: `${why}, so nothing was kept before the run.` };
  }
  if ("problem" in found) throw notKept(found.problem, heedGit);
  const { git, top } = found;
  const status = await readGitStatus(git);
  if ("problem" in status) throw notKept(`git status: ${status.problem}`, heedGit);
  const files = status.files.filter(({ isSubmodule, name }) => !isSubmodule && !name.endsWith("/"));
  if (files.length === 0) return { ref: undefined, files: 0, note: undefined };
  const ref = `refs/atomic/kept/${run}`;
  const tree = await writeTree(git, { top, files, commit: status.commit });
  const parents = status.commit === undefined ? [] : ["-p", status.commit];
  const message = `Uncommitted work before Atomic run ${run}`;
  const commit = await must(git, ["commit-tree", tree, ...parents, "-m", message], { env: identity });
  await must(git, ["update-ref", "--no-deref", ref, commit]);
  return { ref, files: files.length, note: undefined };
}

const identity = {
  GIT_AUTHOR_NAME: "Atomic",
  GIT_AUTHOR_EMAIL: "atomic@localhost",
  GIT_COMMITTER_NAME: "Atomic",
  GIT_COMMITTER_EMAIL: "atomic@localhost",
};

interface Work {
  readonly top: string;
  readonly files: readonly ChangedFile[];
  readonly commit: string | undefined;
}

/** The commit's tree with the files as they are, made in an index of its own. */
async function writeTree(git: Git, { top, files, commit }: Work): Promise<string> {
  const scratch = makeScratchFolder();
  const env = { GIT_INDEX_FILE: join(scratch, "index") };
  try {
    if (commit !== undefined) await must(git, ["read-tree", commit], { env });
    const entries = await storeFiles(git, top, files);
    const lines = entries.flatMap(({ name, entry = entryOfNothing(commit) }) =>
      entry === undefined ? [] : [`${entry}\t${name}\0`],
    );
    await must(git, ["update-index", "-z", "--index-info"], { env, input: Buffer.from(lines.join(""), "latin1") });
    return await must(git, ["write-tree"], { env });
  } finally {
    removeFolder(scratch);
  }
}

function makeScratchFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "atomic-keep-"));
  } catch (thrown) {
    throw notKept(`temporary folder: ${messageOf(thrown)}`, "Make it, or set TMPDIR to one that you may write to");
  }
}

interface Entry {
  readonly name: string;
  /** Mode and object; undefined for what is no longer there. */
  readonly entry: string | undefined;
}

/** Takes a file out of the tree. Names of objects are longer in some repositories, and all the same length in one. */
function entryOfNothing(commit: string | undefined): string | undefined {
  return commit === undefined ? undefined : `0 ${"0".repeat(commit.length)}`;
}

/** A list of paths has one per line, takes a quote at the start for quoting, and a carriage return at the end away. */
const unlistable = /^"|\n|\r$/;

/** Stores the content of files as it is on disk, without any filter; many in one call. */
async function storeFiles(git: Git, top: string, files: readonly ChangedFile[]): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const plain: { readonly name: string; readonly mode: string }[] = [];
  for (const { name } of files) {
    const path = bytesOf(top, name);
    const stat = await lstat(path).catch(() => undefined);
    const mode = stat !== undefined && (stat.mode & 0o111) !== 0 ? "100755" : "100644";
    if (stat?.isSymbolicLink() === true) {
      entries.push({ name, entry: `120000 ${await store(git, await readlink(path, "buffer"))}` });
    } else if (stat?.isFile() !== true) entries.push({ name, entry: undefined });
    else if (unlistable.test(name)) entries.push({ name, entry: `${mode} ${await store(git, await readFile(path))}` });
    else plain.push({ name, mode });
  }
  const paths = Buffer.from(plain.map(({ name }) => `${name}\n`).join(""), "latin1");
  const stored =
    plain.length === 0 ? "" : await must(git, [...storing, "--no-filters", "--stdin-paths"], { input: paths });
  const objects = stored.split("\n");
  return [...entries, ...plain.map(({ name, mode }, i) => ({ name, entry: `${mode} ${objects[i]}` }))];
}

const storing = ["hash-object", "-w"];

function store(git: Git, content: Buffer): Promise<string> {
  return must(git, [...storing, "--stdin"], { input: content });
}

/** What it prints, without the last line break. */
async function must(git: Git, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { ok, stdout, stderr } = await git.run(args, options);
  if (ok) return stdout.toString("utf8").trim();
  throw notKept(`git ${args[0] ?? ""}: ${stderr || "failed"}`);
}

const heedGit = "Fix that";
const makeRoom = "Commit or stash them, make the repository writable";

function notKept(problem: string, advice = makeRoom): AtomicError {
  return new AtomicError(
    "WORK_NOT_KEPT",
    `Your uncommitted changes could not be kept before the run (${problem}). ${advice}, and start again; nothing was changed.`,
  );
}
