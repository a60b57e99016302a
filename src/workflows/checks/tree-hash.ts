// A short hash of a folder's contents, to see whether anything changed between two moments, and which state of the
// work a check has seen. In a repository: the commit, and everything that differs from it, by content; repositories
// inside it and submodules count with their own names. Elsewhere: see folder-hash.ts.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { createSha256 } from "../../lib/sha256.ts";
import { contentDigest } from "./content-digest.ts";
import { hashFolder } from "./folder-hash.ts";
import { bytesOf, type GitStatus, readRepository } from "../git/git-status.ts";

/** Null if it is unknown: too many files, or a failing disk. Two nulls never count as equal. */
export type TreeName = string | null;

/** Repositories in repositories in repositories. */
const maxLevels = 8;
const filesBetweenYields = 200;

/** Its contents are unknown then, and the work continues without a hash. */
const diskProblems: ReadonlySet<string> = new Set([
  ...["EIO", "ESTALE", "ETIMEDOUT", "ENOTCONN", "ENODEV", "ENXIO", "EBUSY"],
  ...["ELOOP", "ENAMETOOLONG", "EMFILE", "ENFILE", "ENOMEM", "EOVERFLOW"],
]);

export function treeHash(cwd: string): Promise<TreeName> {
  return nameOf(cwd, 0);
}

async function nameOf(cwd: string, level: number): Promise<TreeName> {
  try {
    const found = await readRepository(cwd);
    const isUnreadable = found === undefined || "problem" in found;
    return await (isUnreadable ? folderName(cwd) : repositoryName(found.top, found.status, level));
  } catch (thrown) {
    if (!diskProblems.has(systemCode(thrown) ?? "")) throw thrown;
    return null;
  }
}

async function folderName(folder: string): Promise<TreeName> {
  const hash = createSha256();
  const isWhole = await hashFolder(Buffer.from(folder), hash);
  return isWhole ? short(hash.digest("hex")) : null;
}

async function repositoryName(top: string, status: GitStatus, level: number): Promise<TreeName> {
  const hash = createSha256().update(status.commit ?? "");
  const nested = new Set(status.submodules.map((name) => bytesOf(top, name).toString("utf8")));
  for (const [i, { name, line, isSubmodule }] of status.files.entries()) {
    if (i % filesBetweenYields === 0) await new Promise((resolve) => setImmediate(resolve));
    hash.update(`\0${line}\0`);
    const path = bytesOf(top, name);
    // Git shows a repository inside this one as a folder, whatever happens in there.
    if (isSubmodule || name.endsWith("/")) nested.add(path.toString("utf8"));
    else hash.update(contentDigest(path));
  }
  for (const folder of [...nested].toSorted()) {
    if (!existsSync(join(folder, ".git"))) continue;
    const name = level < maxLevels ? await nameOf(folder, level + 1) : null;
    if (name === null) return null;
    hash.update(`\0${folder}\0${name}`);
  }
  return short(hash.digest("hex"));
}

function short(digest: string): string {
  return digest.slice(0, 16);
}
