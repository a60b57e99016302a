// Work trees that are no longer needed. Removing the files of a large one takes seconds to minutes on some disks, and
// nothing has to wait for it: the tree is renamed, together with its record, and its files are removed in the
// background. Whatever has such a name is garbage: a process that was killed leaves it to the next one.
//
// The disk stays bounded: a new tree waits until at most `maxDiscarded` are left. What is not removed when the process
// ends, a separate process removes.

import { spawn } from "node:child_process";
import { lstatSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createSemaphore } from "../../agents/semaphore.ts";
import { isSystemError } from "../../lib/atomic-file.ts";
import { messageOf } from "../../lib/errors.ts";
import { removeFolder } from "../../lib/remove-folder.ts";
import { removeFiles } from "./remove-files.ts";
import type { RunRepository } from "./run-repository.ts";
import { freeName, madeFile, treePlace } from "./tree-places.ts";
import { discardedFolder, discardedPrefix, isDiscarded, readTreeRecords, writeFolder } from "./tree-records.ts";

/** Besides the trees in use. */
export const maxDiscarded = 2;

interface Removal {
  readonly run: string;
  readonly dir: string;
  readonly folder: string;
  readonly record: string;
  readonly isLarge: boolean;
  readonly stop: AbortController;
  /** Why it could not be removed. */
  problem: string | undefined;
  ended: Promise<void>;
}

/** By their records. All those of this process: a repository is opened anew for every piece of work. */
const removals = new Map<string, Removal>();
const oneAtATime = createSemaphore(1);

/** A tree that is complete or half made; its name is free at once. False if it can't be renamed: then it is as it was. */
export function discardTree(repository: RunRepository, name: string): boolean {
  const { folder, record } = treePlace(repository, name);
  const discarded = treePlace(repository, freeName(repository, discardedPrefix));
  rmSync(join(record, madeFile), { force: true });
  // A kill between these leaves a record that says what it is: see `discardedFolder`.
  renameSync(record, discarded.record);
  if (!moveAway(folder, discarded.folder)) {
    renameSync(discarded.record, record);
    return false;
  }
  writeFolder(discarded.record, discarded.folder);
  removeLater(repository, discarded);
  return true;
}

/** False if it can't be renamed. */
function moveAway(folder: string, renamed: string): boolean {
  try {
    if (isThere(folder)) renameSync(folder, renamed);
    return true;
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}

/** Those of this run that an earlier process left. One that was killed while it renamed a tree left it half renamed. */
export async function resumeRemoval(repository: RunRepository): Promise<void> {
  for (const { name, record, folder } of readTreeRecords(repository.commonDir, repository.run)) {
    if (!isDiscarded(name) || removals.has(record)) continue;
    const renamed = folder === undefined ? undefined : join(dirname(folder), name);
    if (renamed === undefined || folder === undefined || !moveAway(folder, renamed)) {
      if (folder !== undefined) await removeFiles(folder);
      removeFolder(record);
      continue;
    }
    writeFolder(record, renamed);
    removeLater(repository, { folder: renamed, record });
  }
}

/** Those that ended runs left in the repository: their process was killed, or the machine stopped. */
export function removeForeign({ commonDir, run: own }: RunRepository): void {
  for (const { name, record, run } of readTreeRecords(commonDir)) {
    if (run === own || !isDiscarded(name)) continue;
    // Never the folder's earlier name: should that run be at work, it may have another tree there by now.
    const folder = discardedFolder(record);
    if (folder !== undefined) startRemover([{ folder, record, dir: dirname(folder) }]);
  }
}

/** Resolves when another tree may be made. */
export async function roomForTree({ run }: RunRepository): Promise<void> {
  for (;;) {
    const pending = removalsOf(run).filter(({ problem }) => problem === undefined);
    if (pending.length <= maxDiscarded) return;
    await Promise.race(pending.map(({ ended }) => ended));
  }
}

export function countDiscarded({ run }: RunRepository): number {
  return removalsOf(run).length;
}

/** At the end of a run. What takes long continues in a separate process. Gives what could not be removed, and why. */
export async function endRemoval({ run }: RunRepository): Promise<readonly string[]> {
  const all = removalsOf(run);
  const large = all.filter(({ isLarge, problem }) => isLarge && problem === undefined);
  handOver(large);
  const small = all.filter((each) => !large.includes(each));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, maxWaitMs);
  });
  await Promise.race([Promise.all(small.map(({ ended }) => ended)), late]);
  clearTimeout(timer);
  handOver(small.filter(({ record, problem }) => removals.has(record) && problem === undefined));
  const problems = small.flatMap(({ problem }) => problem ?? []);
  for (const { record } of small) removals.delete(record);
  return problems;
}

/** For a tree with few files in git that has many others (packages, builds). */
const maxWaitMs = 10_000;
/** Of our index: about 10,000 files. */
const largeIndexBytes = 1024 ** 2;

function removalsOf(run: string): readonly Removal[] {
  return [...removals.values()].filter((each) => each.run === run);
}

function removeLater({ run, dir }: RunRepository, place: { readonly folder: string; readonly record: string }): void {
  if (removals.size === 0) process.once("exit", handOverAll);
  const index = statSync(join(place.record, "index"), { throwIfNoEntry: false });
  const removal: Removal = {
    ...{ run, dir, ...place, isLarge: (index?.size ?? 0) > largeIndexBytes, stop: new AbortController() },
    ...{ problem: undefined, ended: Promise.resolve() },
  };
  removals.set(place.record, removal);
  removal.ended = oneAtATime.run(() => remove(removal));
}

async function remove(removal: Removal): Promise<void> {
  const { folder, record, stop } = removal;
  if (stop.signal.aborted) return;
  try {
    await removeFiles(folder, stop.signal);
    if (stop.signal.aborted) return;
    removeFolder(record);
    forget(record);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    removal.problem = messageOf(thrown);
  }
}

function forget(record: string): void {
  removals.delete(record);
  if (removals.size === 0) process.off("exit", handOverAll);
}

function handOverAll(): void {
  handOver([...removals.values()].filter(({ problem }) => problem === undefined));
}

function handOver(left: readonly Removal[]): void {
  if (left.length === 0) return;
  for (const { record, stop } of left) {
    stop.abort();
    forget(record);
  }
  startRemover(left);
}

/** Two at the same folder do each other no harm. `rm` follows no link, also not one that appears meanwhile. */
function startRemover(
  left: readonly { readonly folder: string; readonly record: string; readonly dir: string }[],
): void {
  const script = 'while [ $# -gt 2 ]; do nice rm -rf -- "$1" && rm -rf -- "$2"; rmdir -- "$3"; shift 3; done';
  const words = left.flatMap(({ folder, record, dir }) => [folder, record, dir]);
  const child = spawn("/bin/sh", ["-c", script, "sh", ...words], {
    cwd: "/",
    detached: true,
    stdio: "ignore",
    env: { PATH: "/usr/bin:/bin" },
  });
  // What it would have removed stays for the next run.
  child.once("error", () => undefined);
  child.unref();
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
