// The hash of a folder outside git: every file in it, by what the file system says about it. Contents are
// not read, so the cost follows the number of files. Names are bytes, because a file's name need not be text.

import { lstatSync, readdirSync, readFileSync } from "node:fs";
import type { Sha256 } from "../../lib/sha256.ts";
import { isForbidden, isGone, stampOf } from "./content-digest.ts";

/** About two seconds of work. */
const maxEntries = 200_000;
const entriesBetweenYields = 2000;

/** Packages and git's own records: a change shows in the list of names, and their contents are not edited. */
const notEntered: ReadonlySet<string> = new Set([".git", "node_modules", ".venv"]);

/** False when there are too many files: then the hash does not cover the whole folder. */
export async function hashFolder(root: Buffer, hash: Sha256): Promise<boolean> {
  const folders = [{ path: root, name: "", stamp: "" }];
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = namesIn(folder.path);
    hash.update(`\0${folder.name}/\0${names === undefined ? folder.stamp : ""}`);
    if (names === undefined) continue;
    const isIgnored = folder.name !== "" && names.some((name) => name.equals(ignoreFile)) && ignoresItself(folder.path);
    if (isIgnored) continue;
    for (const name of names) {
      if (++entries > maxEntries) return false;
      if (entries % entriesBetweenYields === 0) await new Promise((resolve) => setImmediate(resolve));
      const path = within(folder.path, name);
      const shown = `${folder.name}/${name.toString("latin1")}`;
      const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (stat === undefined) continue;
      const stamp = stampOf(stat);
      // A folder's own stamp changes with entries that are skipped, sessions among them.
      if (stat.isDirectory() && !notEntered.has(name.toString("latin1"))) folders.push({ path, name: shown, stamp });
      else hash.update(`\0${shown}\0${stamp}`);
    }
  }
  return true;
}

/** Sorted. Undefined for a folder that is gone or that this user may not list: its stamp stands for what is inside. */
function namesIn(folder: Buffer): readonly Buffer[] | undefined {
  try {
    return readdirSync(folder, { encoding: "buffer" }).toSorted(Buffer.compare);
  } catch (thrown) {
    if (isGone(thrown) || isForbidden(thrown)) return undefined;
    throw thrown;
  }
}

const ignoreFile = Buffer.from(".gitignore");

/**
 * Not part of the work: sessions that are kept in the project, environments, caches. In a repository git leaves them
 * out. The folder itself is where the work is, whatever it says.
 */
function ignoresItself(folder: Buffer): boolean {
  try {
    const path = within(folder, ignoreFile);
    return lstatSync(path).isFile() && readFileSync(path, "utf8").trim() === "*";
  } catch (thrown) {
    if (isGone(thrown) || isForbidden(thrown)) return false;
    throw thrown;
  }
}

function within(folder: Buffer, name: Buffer): Buffer {
  return Buffer.concat([folder, slash, name]);
}

const slash = Buffer.from("/");
