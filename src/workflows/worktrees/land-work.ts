// The two halves of a landing that touch a work tree: what is in it becomes a commit, and that commit becomes one on top
// of what has landed, checked in the same folder. Doing either again gives the same commits. The landing itself is
// `moveHead` in merge.ts.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { AtomicError } from "../../lib/errors.ts";
import { type Check, hasPassed } from "../checks/check.ts";
import { commitTree } from "./commit.ts";
import { mergeTrees } from "./merge.ts";
import { keepNotLanded, type NotLanded } from "./not-landed.ts";
import { keepRunCommit, must, problemOf, readHead, type RunRepository } from "./run-repository.ts";
import { ensureTree, findTree, headOf, setTree, snapshotTree, type TreeStart, type WorkTree } from "./work-tree.ts";

/** Types and not interfaces: they go into the record as JSON. */
export type TakenWork = {
  /** The work's commit; null when nothing could be committed. */
  readonly commit: string | null;
  readonly tree: string | null;
  /** Why it does not count although the worker is done. */
  readonly problem: string | null;
  /** When it was taken; the commits that follow from it carry this time. */
  readonly at: number;
  /** What was changed and can't land. Older runs have none. */
  readonly notLanded?: readonly NotLanded[];
};

export type MergedWork = {
  /** What had landed before. */
  readonly head: string;
  /** The merged commit; with markers in it when there is a conflict. */
  readonly commit: string;
  readonly files: readonly string[];
  readonly messages: readonly string[];
  /** Titles of what landed since the tree was made. */
  readonly meanwhile: readonly string[];
  readonly checks: readonly Check[];
};

export interface WorkToTake {
  /** The tree's name, which is that of its refs too. */
  readonly name: string;
  readonly start: TreeStart;
  readonly message: string;
  readonly at: number;
  /** Gets copies of what can't land. */
  readonly keepDir: string;
  /** Files that were to be freed of conflict markers. */
  readonly conflicts: readonly string[];
}

export async function takeWork(repository: RunRepository, work: WorkToTake): Promise<TakenWork> {
  const { name, start, message, at, keepDir, conflicts } = work;
  const tree = await findTree(repository, name, start);
  if (tree === undefined) return { commit: null, tree: null, at, problem: "its folder was removed during the turn" };
  try {
    let written = "";
    // On any other commit than the one whose files it got, it would look as if the worker had removed what came between.
    const parent = headOf(tree) ?? start.head;
    const commit = await keepRunCommit(repository, { known: parent, refs: [["task", name]] }, async (git, isAnew) => {
      written = await snapshotTree({ ...tree, git: git.withFilesIn(tree.folder) }, { isAnew });
      return commitTree(git, { tree: written, parent, message, at });
    });
    const notLanded = await keepNotLanded(tree, { dir: keepDir, task: name, message, at });
    const marked = conflicts.filter((file) => hasMarkers(join(tree.folder, file)));
    const problem = marked.length === 0 ? null : `conflict markers are left in ${marked.join(", ")}`;
    return { commit, tree: written, at, problem, ...(notLanded.length > 0 && { notLanded }) };
  } catch (thrown) {
    if (!AtomicError.is(thrown, "WORKTREE_FAILED")) throw thrown;
    return { commit: null, tree: null, at, problem: `its work could not be committed: ${problemOf(thrown)}` };
  }
}

export interface WorkToMerge {
  readonly name: string;
  readonly commit: string;
  readonly at: number;
  readonly start: TreeStart;
  readonly message: string;
  /** Runs the checks on the merged tree; absent: no checks. */
  readonly check?: ((tree: WorkTree) => Promise<readonly Check[]>) | undefined;
}

/** In a conflict, and where a check fails, the tree holds the merge: the worker continues on top of it. */
export async function mergeWork(repository: RunRepository, work: WorkToMerge): Promise<MergedWork> {
  const { name, at, start } = work;
  const head = await readHead(repository);
  let files: readonly string[] = [];
  let messages: readonly string[] = [];
  const commit = await keepRunCommit(repository, { known: head, refs: [["merge", name]] }, async (git) => {
    const merged = await mergeTrees({ git }, head, work.commit);
    ({ files, messages } = merged);
    const isClean = files.length === 0 && messages.length === 0;
    const message = isClean ? work.message : `Conflicts of ${name}\n`;
    return commitTree(git, { tree: merged.tree, parent: head, message, at });
  });
  const facts = { head, commit, files, messages };
  const isClean = files.length === 0 && messages.length === 0;
  if (isClean && work.check === undefined) return { ...facts, meanwhile: [], checks: [] };
  const tree = await ensureTree(repository, name, { content: commit, head });
  await setTree(tree, commit, head);
  const checks = isClean ? ((await work.check?.(tree)) ?? []) : [];
  if (isClean && checks.every(hasPassed)) return { ...facts, meanwhile: [], checks };
  // What the checks themselves wrote is not the worker's.
  if (checks.length > 0) await setTree(tree, commit, head);
  return { ...facts, meanwhile: await titlesBetween(repository, start.head, head), checks };
}

export function outcomeOf({
  files,
  messages,
  checks,
}: Pick<MergedWork, "files" | "messages" | "checks">): "landed" | "conflict" | "check-failed" {
  if (files.length > 0 || messages.length > 0) return "conflict";
  return checks.every(hasPassed) ? "landed" : "check-failed";
}

const maxTitles = 20;

async function titlesBetween({ git }: RunRepository, from: string, to: string): Promise<readonly string[]> {
  const range = ["log", "--first-parent", `--max-count=${maxTitles}`, "--format=%s", `${from}..${to}`];
  return (await must(git, range)).split("\n").filter((title) => title !== "");
}

/** A file that is gone or unreadable has none. */
function hasMarkers(path: string): boolean {
  try {
    const text = readFileSync(path, "latin1");
    return /^<{7}(?: |\r?$)/m.test(text) && /^>{7}(?: |\r?$)/m.test(text);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}
