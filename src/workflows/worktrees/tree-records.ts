// What a repository says about the folders of runs' workers: one record each, in `.git/atomic/trees`, beside which our
// index of the folder lies. Reads files only, so that folders can be listed and removed also when their run is gone.

import { lstatSync, mkdirSync, readFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { systemCode, writeFileAtomically } from "../../lib/atomic-file.ts";
import { namesIn } from "../../lib/names-in.ts";
import { treePrefix } from "../sessions/tree-prefix.ts";

export interface TreeRecord {
  /** The name of its record. That of its folder may be another one: see trees-ahead.ts. */
  readonly name: string;
  readonly run: string;
  /** The record's folder inside the repository. */
  readonly record: string;
  /** Where its files are; undefined when it was left before that was written. */
  readonly folder: string | undefined;
}

const runFile = "run";
const folderFile = "folder";

export function recordsIn(commonDir: string): string {
  return join(commonDir, "atomic", "trees");
}

/** The run comes first: what a kill leaves after that is known to be the run's. */
export function writeRecord(record: string, { run, folder }: { readonly run: string; readonly folder: string }): void {
  mkdirSync(record, { recursive: true });
  writeFileAtomically(join(record, runFile), `${run}\n`);
  writeFolder(record, folder);
}

export function writeFolder(record: string, folder: string): void {
  writeFileAtomically(join(record, folderFile), `${folder}\n`);
}

/** What the name of a tree starts with that is no longer needed and is being removed. No task's name starts like that. */
export const discardedPrefix = "_discarded-";

/** By the name of its record or folder. */
export function isDiscarded(name: string): boolean {
  return name.slice(runPart(name)?.length ?? name.length).startsWith(discardedPrefix);
}

/** Where the files of such a tree are once it is renamed; undefined when they are not there, or not there yet. */
export function discardedFolder(record: string): string | undefined {
  const written = writtenFolder(record);
  if (written === undefined) return undefined;
  const renamed = join(dirname(written), basename(record));
  return lstatSync(renamed, { throwIfNoEntry: false }) === undefined ? undefined : renamed;
}

/** All trees of runs; `run`: of this one only. */
export function readTreeRecords(commonDir: string, run?: string): readonly TreeRecord[] {
  const dir = recordsIn(commonDir);
  const prefix = run === undefined ? "atomic-" : treePrefix(run);
  return namesIn(dir).flatMap((name) => {
    if (!name.startsWith(prefix)) return [];
    const record = join(dir, name);
    const owner = runOf(record) ?? (run !== undefined && isUnwritten(record) ? run : undefined);
    if (owner === undefined || (run !== undefined && owner !== run)) return [];
    return [{ name, run: owner, record, folder: folderOf(record) }];
  });
}

/** One that says nothing was left in the instant before that. */
export function belongsTo(record: string, run: string): boolean {
  return runOf(record) === run || isUnwritten(record);
}

function runOf(record: string): string | undefined {
  return /^([0-9a-f-]{36})\s*$/.exec(readText(join(record, runFile)) ?? "")?.[1];
}

/** Undefined where none is written, or one that can't be of the same run. */
export function folderOf(record: string): string | undefined {
  return isDiscarded(basename(record)) ? (discardedFolder(record) ?? writtenFolder(record)) : writtenFolder(record);
}

function writtenFolder(record: string): string | undefined {
  const folder = readText(join(record, folderFile))?.replace(/\n$/, "");
  if (folder === undefined || !isAbsolute(folder)) return undefined;
  return runPart(basename(folder)) !== undefined && runPart(basename(folder)) === runPart(basename(record))
    ? folder
    : undefined;
}

function runPart(name: string): string | undefined {
  return /^atomic-[0-9a-f]{8}-/.exec(name)?.[0];
}

function isUnwritten(record: string): boolean {
  const found = lstatSync(record, { throwIfNoEntry: false });
  return found?.isDirectory() === true && !namesIn(record).includes(runFile);
}

function readText(file: string): string | undefined {
  try {
    return lstatSync(file).isFile() ? readFileSync(file, "utf8") : undefined;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}
