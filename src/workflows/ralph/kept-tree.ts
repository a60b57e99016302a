// Trees and commits of the work that is kept, made in a separate index: objects are added to the repository, and
// nothing that is there is touched.

import { readFileSync, readlinkSync, lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder } from "../../lib/temp-folder.ts";
import { bytesOf } from "../git/git-status.ts";
import type { Git, GitAtTop, GitOptions } from "../git/git.ts";
import { keepWhole, type MakeCommit } from "../git/keep-whole.ts";

export interface TreeEntry {
  /** Each character is one byte. */
  readonly name: string;
  /** Mode and object; undefined for what is no longer there. */
  readonly entry: string | undefined;
}

/** The tree of the commit, if there is one, with these entries. */
export async function writeTree(git: Git, commit: string | undefined, entries: readonly TreeEntry[]): Promise<string> {
  const scratch = makeScratchFolder();
  const env = { GIT_INDEX_FILE: join(scratch, "index") };
  try {
    if (commit !== undefined) await must(git, ["read-tree", commit], { env });
    const lines = entries.flatMap(({ name, entry = entryOfNothing(commit) }) =>
      entry === undefined ? [] : [`${entry}\t${name}\0`],
    );
    await must(git, ["update-index", "-z", "--index-info"], { env, input: Buffer.from(lines.join(""), "latin1") });
    // A partial clone has not all of the objects; those that are new are looked for when they have a ref.
    return await must(git, ["write-tree", "--missing-ok"], { env });
  } finally {
    removeFolder(scratch);
  }
}

/** Takes a file out of the tree. Names of objects are longer in some repositories, and all the same length in one. */
function entryOfNothing(commit: string | undefined): string | undefined {
  return commit === undefined ? undefined : `0 ${"0".repeat(commit.length)}`;
}

const identity = {
  GIT_AUTHOR_NAME: "Atomic",
  GIT_AUTHOR_EMAIL: "atomic@localhost",
  GIT_COMMITTER_NAME: "Atomic",
  GIT_COMMITTER_EMAIL: "atomic@localhost",
};

/** `makeTree` gets `true` when the objects it wrote are gone. */
export async function keepUnder(
  repository: Pick<GitAtTop, "git" | "commonDir">,
  kept: { readonly ref: string; readonly parent: string | undefined; readonly message: string },
  makeTree: MakeCommit,
): Promise<void> {
  const { ref, parent, message } = kept;
  const parents = parent === undefined ? [] : ["-p", parent];
  await keepWhole(repository, { refs: [ref], known: parent, refused: notKept }, async (git, isAgain) => {
    const tree = await makeTree(git, isAgain);
    return must(git, ["commit-tree", tree, ...parents, "-m", message], { env: identity });
  });
}

/** A list of paths has one per line, takes a quote at the start for quoting, and a carriage return at the end away. */
const unlistable = /^"|\n|\r$/;

/** Stores the content of files as it is on disk, without any filter; many in one call. */
export async function storeFiles(git: Git, top: string, names: readonly string[]): Promise<readonly TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const plain: { readonly name: string; readonly mode: string }[] = [];
  for (const name of names) {
    const path = bytesOf(top, name);
    const stat = statOf(path);
    const mode = stat !== undefined && (stat.mode & 0o111) !== 0 ? "100755" : "100644";
    if (stat?.isSymbolicLink() === true) {
      entries.push({ name, entry: `120000 ${await store(git, readlinkSync(path, "buffer"))}` });
    } else if (stat?.isFile() !== true) entries.push({ name, entry: undefined });
    else if (unlistable.test(name)) entries.push({ name, entry: `${mode} ${await store(git, readFileSync(path))}` });
    else plain.push({ name, mode });
  }
  const paths = Buffer.from(plain.map(({ name }) => `${name}\n`).join(""), "latin1");
  const stored =
    plain.length === 0 ? "" : await must(git, [...storing, "--no-filters", "--stdin-paths"], { input: paths });
  const objects = stored.split("\n");
  return [...entries, ...plain.map(({ name, mode }, i) => ({ name, entry: `${mode} ${objects[i]}` }))];
}

/** Undefined for what is gone. A file that can't be looked at is not gone: its content would be missing. */
function statOf(path: Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return undefined;
    throw notKept(messageOf(thrown), "Make it readable");
  }
}

const storing = ["hash-object", "-w"];

export function store(git: Git, content: Buffer): Promise<string> {
  return must(git, [...storing, "--stdin"], { input: content });
}

/** What it prints, without the last line break. */
async function must(git: Git, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { ok, stdout, stderr } = await git.run(args, options);
  if (ok) return stdout.toString("utf8").trim();
  throw notKept(`git ${args[0] ?? ""}: ${stderr || "failed"}`);
}

function makeScratchFolder(): string {
  try {
    return makeTempFolder("keep");
  } catch (thrown) {
    throw notKept(`temporary folder: ${messageOf(thrown)}`, "Make it, or set TMPDIR to one that you may write to");
  }
}

const makeRoom = "Commit or stash them, make the repository writable";

export function notKept(problem: string, advice = makeRoom): AtomicError {
  return new AtomicError(
    "WORK_NOT_KEPT",
    `Your uncommitted changes could not be kept before the run (${problem}). ${advice}, and start again; nothing was changed.`,
  );
}
