// Removes a folder with many files, in other processes: it takes seconds, in which this one would do nothing else. A disk
// that gives back the room of each file at once lets a process wait for every single one, so a large folder is removed by
// several at the same time.
//
// Something may still be running in the folder. A part is therefore named by its folder, held open, and never by a path
// through others: a folder that is replaced by a link meanwhile leads nowhere.

import { spawn } from "node:child_process";
import { closeSync, constants, lstatSync, openSync, readdirSync } from "node:fs";
import { createSemaphore } from "../../agents/semaphore.ts";
import { isSystemError } from "../../lib/atomic-file.ts";
import { removeFolder } from "../../lib/remove-folder.ts";

const foldersAtOnce = createSemaphore(2);
const processesPerFolder = 8;
/** A folder that has fewer parts, however deep one looks, is removed as fast by a single process. */
const minParts = 64;
const maxDepth = 6;
const minPerProcess = 4;
const maxProcesses = 32;

/** Throws the system's error for what can't be removed. `signal`: what is left then stays, and nothing waits for it. */
export async function removeFiles(folder: string, signal?: AbortSignal): Promise<void> {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return;
  await foldersAtOnce.run(() => removeParts(folder, signal));
  if (isOver(signal)) return;
  await remove(["--", folder], { signal });
  // What it could not remove, this says why.
  if (!isOver(signal)) removeFolder(folder);
}

function isOver(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

interface Part {
  /** A path to a folder that is held open. */
  readonly parent: string;
  readonly name: string;
  readonly isFolder: boolean;
}

/** Most of what is in it; what it leaves is not worth the effort, or has to be removed in order. */
async function removeParts(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const held: number[] = [];
  try {
    const work = batches(findParts(folder, held));
    const next = async (): Promise<void> => {
      for (let batch = work.pop(); batch !== undefined && !isOver(signal); batch = work.pop())
        await remove(["--", ...batch.names], { cwd: batch.parent, signal });
    };
    await Promise.all(Array.from({ length: processesPerFolder }, next));
  } finally {
    for (const each of held) closeSync(each);
  }
}

/** Where the system has no paths to open folders (macOS), there are none. */
function findParts(folder: string, held: number[]): readonly Part[] {
  const list = (path: string): readonly Part[] | undefined => {
    try {
      const opened = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
      held.push(opened);
      const parent = `/proc/${process.pid}/fd/${opened}`;
      const entries = readdirSync(parent, { withFileTypes: true });
      return entries.map((entry) => ({ parent, name: entry.name, isFolder: entry.isDirectory() }));
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      return undefined;
    }
  };
  let parts = list(folder) ?? [];
  for (let depth = 1; depth < maxDepth && parts.length < minParts; depth++)
    parts = parts.flatMap((part) => (part.isFolder && list(`${part.parent}/${part.name}`)) || [part]);
  return parts.length < minParts ? [] : parts;
}

interface Batch {
  readonly parent: string;
  readonly names: readonly string[];
}

function batches(parts: readonly Part[]): Batch[] {
  const size = Math.max(minPerProcess, Math.ceil(parts.length / maxProcesses));
  const found: { readonly parent: string; readonly names: string[] }[] = [];
  for (const { parent, name } of parts) {
    const last = found.at(-1);
    if (last?.parent === parent && last.names.length < Math.min(size, maxNames)) last.names.push(name);
    else found.push({ parent, names: [name] });
  }
  return found;
}

/** Names have at most 255 bytes; a command line may have 128 kB everywhere. */
const maxNames = 500;

interface RemoveOptions {
  readonly cwd?: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Resolves in any case. */
function remove(args: readonly string[], { cwd, signal }: RemoveOptions): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn("/bin/rm", ["-rf", ...args], { stdio: "ignore", cwd });
    const leave = (): void => {
      child.unref();
      resolve();
    };
    const end = (): void => {
      signal?.removeEventListener("abort", leave);
      resolve();
    };
    signal?.addEventListener("abort", leave, { once: true });
    child.once("error", end);
    child.once("exit", end);
  });
}
