// A short name for what the folder holds, to tell whether anything changed between two moments, and which state of the
// work a check has seen. In a repository: the commit, and everything that differs from it, by content.

import { createReadStream } from "node:fs";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { createSha256, type Sha256 } from "../../lib/sha256.ts";
import { bytesOf, type GitStatus, readGitStatus } from "./git-status.ts";
import { Git } from "./git.ts";

const tooManyFiles = 20_000;
const skipped: ReadonlySet<string> = new Set([".git", "node_modules", "target", "dist", ".venv"]);

export async function treeHash(cwd: string): Promise<string> {
  const hash = createSha256();
  const [found, status] = await Promise.all([Git.atTop(cwd), readGitStatus(Git.in(cwd))]);
  if (found === undefined || "problem" in found || "problem" in status) {
    await hashFolder(cwd, "", hash, { left: tooManyFiles });
  } else await hashStatus(status, found.top, hash);
  return hash.digest("hex").slice(0, 16);
}

async function hashStatus({ commit, files }: GitStatus, top: string, hash: Sha256): Promise<void> {
  hash.update(commit ?? "");
  for (const { name, line } of files) {
    hash.update(`\0${line}\0`);
    await hashFile(bytesOf(top, name), hash);
  }
}

async function hashFile(path: Buffer, hash: Sha256): Promise<void> {
  try {
    const stat = await lstat(path);
    if (stat.isSymbolicLink()) hash.update(await readlink(path, "buffer"));
    // A pipe would never end, and another repository inside this one has a state of its own.
    if (stat.isFile()) for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  } catch {
    hash.update("gone");
  }
}

async function hashFolder(root: string, folder: string, hash: Sha256, budget: { left: number }): Promise<void> {
  const names = await readdir(join(root, folder)).catch((): string[] => []);
  if (names.includes(".gitignore") && (await ignoresItself(join(root, folder)))) return;
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    if (skipped.has(name) || budget.left-- <= 0) continue;
    const path = join(folder, name);
    const stat = await lstat(join(root, path)).catch(() => undefined);
    if (stat?.isDirectory()) await hashFolder(root, path, hash, budget);
    else if (stat !== undefined) hash.update(`\0${path}\0${stat.size}\0${stat.mtimeMs}`);
  }
}

/** Nobody's work: sessions that are kept in the project, environments, caches. In a repository git leaves them out. */
async function ignoresItself(folder: string): Promise<boolean> {
  const rules = await readFile(join(folder, ".gitignore"), "utf8").catch(() => "");
  return rules.trim() === "*";
}
