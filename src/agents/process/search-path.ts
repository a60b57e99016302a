// The user's PATH without what a project could put there: relative entries, and folders of the repository that is
// being worked in, of which the current folder may be a subfolder. The user's home does not count as a repository,
// even if it is kept in one: programs in `~/.local/bin` are the user's own.

import { isReallyInside, realOrSame } from "../../lib/real-path.ts";
import { existsSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { homeFolder } from "../../lib/home-folder.ts";

const markers = [".git", ".hg", ".jj", ".atomic"];

/** What decides which project the programs of a search path must not come from. */
export interface WorkingFolders {
  readonly cwd: string;
  /** Absent: the home folder of this process. */
  readonly home?: string | undefined;
}

/** The folders of `searchPath`, in order, that are not the project's. */
export function safeSearchPath(searchPath: string | undefined, folders: WorkingFolders): readonly string[] {
  const isOfProject = projectFolders(folders);
  return (searchPath ?? "").split(delimiter).filter((folder) => isAbsolute(folder) && !isOfProject(folder));
}

/** Whether a folder is the project's that is being worked in. Links are followed. */
export function projectFolders({ cwd, home = homeFolder(process.env) }: WorkingFolders): (folder: string) => boolean {
  const root = projectRoot(realOrSame(cwd), home);
  // In the home folder itself, or above it, "inside" would mean everything that the user installed there.
  if (isReallyInside(home, root)) return (folder) => realOrSame(folder) === root;
  return (folder) => isReallyInside(folder, root);
}

/** The outermost folder around the current one that is kept in version control, below the home folder. */
function projectRoot(cwd: string, home: string): string {
  let root = cwd;
  for (let at = cwd; at !== dirname(at) && !isReallyInside(home, at); at = dirname(at)) {
    if (markers.some((marker) => existsSync(join(at, marker)))) root = at;
  }
  return root;
}
