// A short name for what the folder holds, to tell whether anything changed between two moments.

import { createHash } from "node:crypto";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Git } from "./git.ts";
import { changedFiles } from "./keep-work.ts";

const tooManyFiles = 20_000;
const skipped: ReadonlySet<string> = new Set([".git", "node_modules", "target", "dist", ".venv"]);

export async function treeHash(cwd: string): Promise<string> {
  const hash = createHash("sha256");
  const git = await Git.open(cwd);
  if (git === undefined) await hashFolder(cwd, "", hash, { left: tooManyFiles });
  else await hashRepository(git, cwd, hash);
  return hash.digest("hex").slice(0, 16);
}

/** The commit, and everything that differs from it. */
async function hashRepository(git: Git, cwd: string, hash: ReturnType<typeof createHash>): Promise<void> {
  hash.update((await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{tree}"])).stdout);
  for (const file of await changedFiles(git)) {
    hash.update(`\0${file}\0`);
    hash.update(await readFile(join(cwd, file)).catch(() => "gone"));
  }
}

async function hashFolder(
  root: string,
  folder: string,
  hash: ReturnType<typeof createHash>,
  budget: { left: number },
): Promise<void> {
  const names = await readdir(join(root, folder)).catch(() => []);
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    if (skipped.has(name) || budget.left-- <= 0) continue;
    const path = join(folder, name);
    const stat = await lstat(join(root, path)).catch(() => undefined);
    if (stat?.isDirectory()) await hashFolder(root, path, hash, budget);
    else if (stat !== undefined) hash.update(`\0${path}\0${stat.size}\0${stat.mtimeMs}`);
  }
}
