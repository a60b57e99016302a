// Which folder and which record a work tree has, by its name. A tree that was made ahead, before its task was known,
// keeps its folder when it gets a name: only its record is renamed, in one step, so that a kill leaves it with one or
// the other name.

import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import type { RunRepository } from "./run-repository.ts";
import { belongsTo, folderOf, readTreeRecords, recordsIn } from "./tree-records.ts";
import { treePrefix } from "../sessions/tree-prefix.ts";

/** In the record of a tree that is complete. */
export const madeFile = "made";

export interface TreePlace {
  readonly folder: string;
  readonly record: string;
}

export function treePlace(repository: RunRepository, name: string): TreePlace {
  const last = `${treePrefix(repository.run)}${name}`;
  const record = join(recordsIn(repository.commonDir), last);
  const folder = belongsTo(record, repository.run) ? folderOf(record) : undefined;
  return { folder: folder ?? join(repository.dir, last), record };
}

const aheadPrefix = "_ahead-";

export function isAheadName(name: string): boolean {
  return name.startsWith(aheadPrefix);
}

export function nextAheadName(repository: RunRepository, taken: ReadonlySet<string>): string {
  return freeName(repository, aheadPrefix, taken);
}

/** A name whose record and folder are free. */
export function freeName(repository: RunRepository, prefix: string, taken: ReadonlySet<string> = new Set()): string {
  for (let number = 1; ; number++) {
    const name = `${prefix}${number}`;
    const last = `${treePrefix(repository.run)}${name}`;
    const paths = [join(repository.dir, last), join(recordsIn(repository.commonDir), last)];
    if (!taken.has(name) && !paths.some((path) => existsSync(path))) return name;
  }
}

/** Names of complete trees that were made ahead. */
function listAhead(repository: RunRepository): readonly string[] {
  const prefix = treePrefix(repository.run);
  return readTreeRecords(repository.commonDir, repository.run)
    .filter(({ name, record }) => isAheadName(name.slice(prefix.length)) && existsSync(join(record, madeFile)))
    .map(({ name }) => name.slice(prefix.length));
}

/**
 * Gives a tree that was made ahead that name. False if there is none. Names that start with `_` make their own. It is not
 * complete any more: it holds what had landed when it was made, and a process that finds it after a kill must not take
 * that for the work of its task.
 */
export function takeAhead(repository: RunRepository, name: string): boolean {
  if (name.startsWith("_")) return false;
  for (const ahead of listAhead(repository)) {
    const from = treePlace(repository, ahead);
    if (!existsSync(from.folder)) continue;
    const to = treePlace(repository, name).record;
    try {
      mkdirSync(recordsIn(repository.commonDir), { recursive: true });
      rmSync(join(from.record, madeFile), { force: true });
      renameSync(from.record, to);
      return true;
    } catch (thrown) {
      // Another task was faster.
      if (systemCode(thrown) !== "ENOENT") throw thrown;
    }
  }
  return false;
}
