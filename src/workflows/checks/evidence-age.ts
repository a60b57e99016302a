// Whether a folder is still as a check saw it, and if not, how many files differ. Reads only: no object is
// written, and the user's index is not touched.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { removeFolder } from "../../lib/remove-folder.ts";
import { makeTempFolder } from "../../lib/temp-folder.ts";
import { Git, type GitAtTop } from "../git/git.ts";
import { treeHash } from "./tree-hash.ts";

/** `unknown`: the check named no tree, or its tree can't be compared any more. */
export type EvidenceAge =
  | { readonly state: "fresh" }
  | { readonly state: "stale"; readonly files: number | undefined }
  | { readonly state: "unknown" };

export interface SeenTree {
  readonly tree: string | undefined;
  /** When the check ended. */
  readonly at: number;
}

/** One result for each, in the same order. The folder is read once per tree. */
export async function evidenceAges(cwd: string, seen: readonly SeenTree[]): Promise<readonly EvidenceAge[]> {
  const found = await Git.atTop(cwd);
  const place = found === undefined || "problem" in found ? undefined : found;
  const now = seen.some(({ tree }) => tree !== undefined && !isGitTree(tree)) ? await treeHash(cwd) : null;
  const known = new Map<string, EvidenceAge>();
  const ages: EvidenceAge[] = [];
  for (const { tree, at } of seen) {
    const key = `${tree} ${at}`;
    const age = known.get(key) ?? (await ageOf(tree, at, now, place));
    known.set(key, age);
    ages.push(age);
  }
  return ages;
}

async function ageOf(
  tree: string | undefined,
  at: number,
  now: string | null,
  place: GitAtTop | undefined,
): Promise<EvidenceAge> {
  if (tree === undefined) return { state: "unknown" };
  if (isGitTree(tree)) return place === undefined ? { state: "unknown" } : comparedWith(tree, place);
  if (now === null) return { state: "unknown" };
  if (now === tree) return { state: "fresh" };
  return { state: "stale", files: place === undefined ? undefined : await changedSince(at, place) };
}

/** Workers with separate folders record git's tree; others a short hash. */
function isGitTree(tree: string): boolean {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(tree);
}

/** Through a separate index that holds that tree. */
async function comparedWith(tree: string, { git, top }: GitAtTop): Promise<EvidenceAge> {
  const folder = makeTempFolder("read");
  try {
    const env = { GIT_INDEX_FILE: join(folder, "index") };
    if (!(await git.run(["read-tree", tree], { env })).ok) return { state: "unknown" };
    await git.run(["update-index", "-q", "--refresh"], { env });
    const changed = await git.run(["diff-files", "--name-only", "-z"], { env });
    const added = await git.run(["ls-files", "--others", "--exclude-standard", "-z", "--", top], { env });
    if (!changed.ok || !added.ok) return { state: "unknown" };
    const files = new Set([...namesIn(changed.stdout), ...namesIn(added.stdout)]).size;
    return files === 0 ? { state: "fresh" } : { state: "stale", files };
  } finally {
    removeFolder(folder);
  }
}

/** Files that were written after the check; undefined when git can't list them. */
async function changedSince(at: number, { git, top }: GitAtTop): Promise<number | undefined> {
  const { ok, stdout } = await git.run(["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", top]);
  if (!ok) return undefined;
  const files = new Set(namesIn(stdout));
  const changed = [...files].filter((name) => {
    const stat = lstatSync(join(top, name), { throwIfNoEntry: false });
    return stat !== undefined && stat.mtimeMs > at;
  });
  // A file that was only removed can't be counted.
  return changed.length === 0 ? undefined : changed.length;
}

function namesIn(output: Buffer): readonly string[] {
  return output.toString("utf8").split("\0").filter(Boolean);
}
