// The folder of a project, found from any folder inside it, as git finds its own: the nearest one upwards that holds
// `.atomic`. The search ends at the top of the git repository, and before the user's home, whose `.atomic` is theirs
// and not a project's. One that another user made above the current folder is skipped: a user who can write to a
// shared folder could otherwise influence what happens below it.

import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError } from "../lib/atomic-file.ts";
import { realOrSame } from "../lib/real-path.ts";

/** `from` itself where no folder above has one. Both paths are absolute. */
export function findProjectFolder(from: string, homeDir: string): string {
  const home = realOrSame(homeDir);
  for (let folder = from; ; folder = dirname(folder)) {
    if (realOrSame(folder) === home) return from;
    const own = statOf(join(folder, ".atomic"));
    if (own?.isDirectory() === true && (folder === from || own.uid === process.getuid?.())) return folder;
    if (statOf(join(folder, ".git")) !== undefined || dirname(folder) === folder) return from;
  }
}

function statOf(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    // A folder above that can't be read has nothing for this project.
    if (!isSystemError(thrown)) throw thrown;
    return undefined;
  }
}
