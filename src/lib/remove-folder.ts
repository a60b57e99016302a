// Removes a folder and everything in it, in a bounded number of passes. The runtime's own recursive removal never
// returns on some file systems (FUSE, NFS) while a file inside is open: each removal of that file gives it another
// name.

import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "./atomic-file.ts";

/** Files that appear during one pass are removed in the next. */
const maxPasses = 3;

/**
 * True when it is gone, or never existed. False when something in it is still in use: the system removes that later.
 * Throws the system's error for anything else.
 */
export function removeFolder(path: string): boolean {
  for (let pass = 0; pass < maxPasses; pass++) if (removeOnce(path)) return true;
  return false;
}

function removeOnce(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return true;
  if (!found.isDirectory()) return attempt(() => unlinkSync(path));
  for (const name of list(path)) removeOnce(join(path, name));
  return attempt(() => rmdirSync(path));
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch (thrown) {
    // Removed by another process meanwhile.
    if (systemCode(thrown) === "ENOENT") return [];
    throw thrown;
  }
}

/** Something is still in there, or uses it. */
const inUse: ReadonlySet<string> = new Set(["ENOTEMPTY", "EEXIST", "EBUSY"]);

function attempt(remove: () => void): boolean {
  try {
    remove();
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return true;
    if (inUse.has(systemCode(thrown) ?? "")) return false;
    throw thrown;
  }
}
