// Where agents' npm packages may be: beside this program, or where `npm install -g` puts them. Never in the folder the
// agent works in, unless this program itself is installed there.

import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, relative } from "node:path";

export interface PackageFoldersOptions {
  /** The folder to start from, going up. Absent: this program's own. */
  readonly packagesFrom?: string | undefined;
  /** The user's PATH: npm's global packages are beside the programs it installs. */
  readonly searchPath?: string | undefined;
  /** The folder the agent works in. */
  readonly cwd?: string | undefined;
}

/** Folders called `node_modules`, in order of preference; many of them do not exist. */
export function packageFolders(options: PackageFoldersOptions): readonly string[] {
  const folders: string[] = [];
  for (let at = options.packagesFrom ?? import.meta.dirname; ; at = dirname(at)) {
    folders.push(join(at, "node_modules"));
    if (at === dirname(at)) break;
  }
  for (const bin of (options.searchPath ?? "").split(delimiter)) {
    if (!isAbsolute(bin) || (options.cwd !== undefined && isInside(bin, options.cwd))) continue;
    folders.push(process.platform === "win32" ? join(bin, "node_modules") : join(dirname(bin), "lib/node_modules"));
  }
  return [...new Set(folders)];
}

/** Links are followed: a link out of a folder is not inside it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(real(folder), real(path));
  return way === "" || (!way.startsWith("..") && !isAbsolute(way));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
