// The repository of a run, opened for one piece of work, and the calls that all parts of this folder make. Git's own
// refusals become WORKTREE_FAILED; what is expected to fail is asked with `git.run`.

import { existsSync } from "node:fs";
import { createProcessRegistry, type ProcessRegistry } from "../../agents/process/process-registry.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { Git, type GitOptions } from "../git/git.ts";
import { keepWhole, type MakeCommit } from "../git/keep-whole.ts";
import { runRef } from "./run-refs.ts";

/** Where the workers of a run work. A type and not an interface: it goes into the record as JSON. */
export type TreesPlan = {
  readonly run: string;
  /** The top of the user's work tree. */
  readonly top: string;
  /** The folder for the work trees; never inside the repository. */
  readonly dir: string;
  /** Where records of processes go. */
  readonly processesDir: string;
  /** The commit that all of it starts from. */
  readonly base: string;
  /** Ignored folders of the user's that every tree gets, as a copy or a link. Older runs have none. */
  readonly shared?: readonly string[];
  /** Names of filters (Git LFS) that files are under. */
  readonly filters?: readonly string[];
  /** Folders of submodules and of other repositories inside. */
  readonly nested?: readonly string[];
  /** A command that is run once in each tree. */
  readonly setup?: string | null;
};

/** Runs that command in the folder of a new tree. Throws when it fails. */
export type SetUp = (folder: string) => Promise<void>;

export interface RunRepository extends TreesPlan {
  readonly git: Git;
  readonly gitDir: string;
  readonly commonDir: string;
  readonly registry: ProcessRegistry;
  readonly setUp: SetUp | undefined;
}

/** `setUp`: for those who make trees. */
export async function openRepository(plan: TreesPlan, setUp?: SetUp): Promise<RunRepository> {
  const found = existsSync(plan.top) ? await Git.atTop(plan.top) : undefined;
  if (found === undefined) throw treeError(`${plan.top} is not a git repository any more. Put it back.`);
  if ("problem" in found) throw treeError(`${plan.top}: ${found.problem}.`);
  const { gitDir, commonDir } = found;
  // Git itself waits for its refs only. A worker's folder is removed once its work has landed: then nothing else has it.
  const git = found.git.withLastingObjects();
  return { ...plan, git, gitDir, commonDir, registry: createProcessRegistry(plan.processesDir), setUp };
}

/** Checking out or reading 100,000 files takes minutes on a slow disk. */
export const longGitMs = 30 * 60_000;

/** What it prints, without the last line break. */
export async function must(git: Git, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const { ok, stdout, stderr } = await git.run(args, options);
  if (ok) return stdout.toString("utf8").replace(/\n$/, "");
  throw treeError(`git ${args[0] ?? ""}: ${stderr || "failed"}.`);
}

/** The commit that a ref names; undefined if there is none. */
export async function readRef({ git, run }: RunRepository, ...parts: readonly string[]): Promise<string | undefined> {
  return readCommit(git, runRef(run, ...parts));
}

export async function readCommit(git: Git, ref: string): Promise<string | undefined> {
  const { ok, stdout } = await git.run(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  return ok ? stdout.toString("utf8").trim() : undefined;
}

/** What has landed so far. */
export async function readHead(repository: RunRepository): Promise<string> {
  const head = await readRef(repository, "head");
  if (head !== undefined) return head;
  throw treeError(
    `${runRef(repository.run, "head")} is missing in ${repository.top}: it holds what the workers finished.`,
  );
}

/** `keepWhole` for a run's own refs. */
export function keepRunCommit(
  repository: RunRepository,
  { known, refs }: { readonly known: string; readonly refs: readonly (readonly string[])[] },
  make: MakeCommit,
): Promise<string> {
  const names = refs.map((parts) => runRef(repository.run, ...parts));
  return keepWhole(repository, { refs: names, known, refused: gitRefused }, make);
}

export function gitRefused(problem: string): AtomicError {
  return treeError(`${problem}.`);
}

const prefix = "The workers' folders can't be used: ";

export function treeError(problem: string): AtomicError {
  return new AtomicError(
    "WORKTREE_FAILED",
    `${prefix}${problem.startsWith(prefix) ? problem.slice(prefix.length) : problem}`,
  );
}

/** What is wrong, as a clause: for messages that say themselves what could not be done. */
export function problemOf(thrown: unknown): string {
  const message = messageOf(thrown);
  return (message.startsWith(prefix) ? message.slice(prefix.length) : message).replace(/\.$/, "");
}
