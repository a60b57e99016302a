// What a repository says about the work trees of runs: each is locked with a reason that names its run. Reads files
// only, so that trees can be listed and removed also when their run is gone.

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";

export interface TreeRecord {
  /** The last part of its path, and the name of its folder inside the repository. */
  readonly name: string;
  readonly run: string;
  /** Its folder inside the repository. */
  readonly gitDir: string;
  /** Where its files are; undefined when it was left before that was written. */
  readonly folder: string | undefined;
}

export function lockReason(run: string): string {
  return `Atomic run ${run}`;
}

/** Trees of a run start like that. */
export function treePrefix(run: string): string {
  return `atomic-${run.slice(0, 8)}-`;
}

/** All trees of runs; `run`: of this one only. */
export function readTreeRecords(commonDir: string, run?: string): readonly TreeRecord[] {
  const dir = join(commonDir, "worktrees");
  const prefix = run === undefined ? "atomic-" : treePrefix(run);
  return namesIn(dir).flatMap((name) => {
    if (!name.startsWith(prefix)) return [];
    const gitDir = join(dir, name);
    const owner = runOf(gitDir) ?? (run !== undefined && isEmptyFolder(gitDir) ? run : undefined);
    if (owner === undefined || (run !== undefined && owner !== run)) return [];
    return [{ name, run: owner, gitDir, folder: folderOf(gitDir, name) }];
  });
}

/** Git writes the reason before anything else. An empty folder was left in the instant before that. */
export function belongsTo(gitDir: string, run: string): boolean {
  return runOf(gitDir) === run || isEmptyFolder(gitDir);
}

function runOf(gitDir: string): string | undefined {
  return /^Atomic run ([0-9a-f-]{36})\s*$/.exec(readText(join(gitDir, "locked")) ?? "")?.[1];
}

function folderOf(gitDir: string, name: string): string | undefined {
  const link = readText(join(gitDir, "gitdir"))?.trim();
  if (link === undefined || basename(link) !== ".git") return undefined;
  const folder = dirname(link);
  return basename(folder) === name ? folder : undefined;
}

function isEmptyFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && readdirSync(path).length === 0;
}

function readText(file: string): string | undefined {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}
