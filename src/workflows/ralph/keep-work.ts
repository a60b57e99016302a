// Before the first worker starts: the user's uncommitted and untracked files are kept under a private ref, as they are
// on disk, byte for byte. Only objects and one ref are added; the index, the work tree and the branches stay as they are.

import { lstat, readlink } from "node:fs/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import { Git, zeroSplit } from "./git.ts";

export interface KeptWork {
  /** The ref that holds it; undefined when there was nothing to keep. */
  readonly ref: string | undefined;
  readonly files: number;
  /** Why nothing could be kept although there may have been something. */
  readonly note: string | undefined;
}

export async function keepWork(cwd: string, run: string): Promise<KeptWork> {
  const git = await Git.open(cwd);
  if (git === undefined) {
    return {
      ref: undefined,
      files: 0,
      note: "The folder is in no git repository, so nothing was kept before the run.",
    };
  }
  const root = (await must(git, ["rev-parse", "--show-toplevel"])).toString("utf8").replace(/\n$/, "");
  const rootGit = (await Git.open(root)) ?? git;
  const changed = await changedFiles(rootGit);
  if (changed.length === 0) return { ref: undefined, files: 0, note: undefined };
  const scratch = mkdtempSync(join(tmpdir(), "atomic-keep-"));
  try {
    const ref = `refs/atomic/kept/${run}`;
    const tree = await writeTree(rootGit, root, changed, join(scratch, "index"));
    const head = await rootGit.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
    const parents = head.ok ? ["-p", head.stdout.toString("utf8").trim()] : [];
    const message = `Uncommitted work before Atomic run ${run}`;
    const identity = {
      GIT_AUTHOR_NAME: "Atomic",
      GIT_AUTHOR_EMAIL: "atomic@localhost",
      GIT_COMMITTER_NAME: "Atomic",
      GIT_COMMITTER_EMAIL: "atomic@localhost",
    };
    const commit = (await must(rootGit, ["commit-tree", tree, ...parents, "-m", message], { env: identity }))
      .toString("utf8")
      .trim();
    await must(rootGit, ["update-ref", "-m", "atomic: keep uncommitted work", ref, commit]);
    return { ref, files: changed.length, note: undefined };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Changed, staged, deleted and untracked files, ignored ones aside. */
export async function changedFiles(git: Git): Promise<readonly string[]> {
  const listed = await git.runUnfiltered([
    "ls-files",
    "-z",
    "--modified",
    "--others",
    "--deleted",
    "--exclude-standard",
  ]);
  const staged = await git.runUnfiltered(["diff", "--cached", "--name-only", "-z", "--no-ext-diff", "--no-textconv"]);
  return [...new Set([...zeroSplit(listed.stdout), ...zeroSplit(staged.stdout)])].sort();
}

async function writeTree(git: Git, root: string, files: readonly string[], index: string): Promise<string> {
  const env = { GIT_INDEX_FILE: index };
  await git.run(["read-tree", "HEAD"], { env });
  const lines: string[] = [];
  for (const file of files) lines.push(`${await entryOf(git, root, file)}\t${file}\0`);
  await must(git, ["update-index", "-z", "--index-info"], { env, input: lines.join("") });
  return (await must(git, ["write-tree"], { env })).toString("utf8").trim();
}

/** Mode and object of a file as it is on disk, its content stored without any filter. */
async function entryOf(git: Git, root: string, file: string): Promise<string> {
  const path = join(root, file);
  const stat = await lstat(path).catch(() => undefined);
  // Gone, or a folder (another repository inside this one): no entry.
  if (stat === undefined || stat.isDirectory()) return `0 ${"0".repeat(40)}`;
  const hash = stat.isSymbolicLink()
    ? await must(git, ["hash-object", "-w", "--stdin"], { input: await readlink(path) })
    : await must(git, ["hash-object", "-w", "--no-filters", "--", path]);
  const mode = stat.isSymbolicLink() ? "120000" : (stat.mode & 0o111) === 0 ? "100644" : "100755";
  return `${mode} ${hash.toString("utf8").trim()}`;
}

async function must(git: Git, args: readonly string[], options = {}): Promise<Buffer> {
  const { ok, stdout, stderr } = await git.run(args, options);
  if (ok) return stdout;
  throw new AtomicError(
    "WORK_NOT_KEPT",
    `Your uncommitted changes could not be kept before the run (git ${args[0]}: ${stderr || "failed"}). Commit or stash them, make the repository writable, and start again; nothing was changed.`,
  );
}
