// Where agents' npm packages may be: beside this program, or where `npm install -g` puts them. Never in the project the
// agent works in, unless this program itself is installed there.

import { dirname, join } from "node:path";
import { safeSearchPath } from "./search-path.ts";

export interface PackageFoldersOptions {
  /** The folder to start from, going up. Absent: this program's own. */
  readonly packagesFrom?: string | undefined;
  /** The user's PATH: npm's global packages are beside the programs it installs. */
  readonly searchPath?: string | undefined;
  /** The folder the agent works in. */
  readonly cwd: string;
  readonly home?: string | undefined;
}

/** Folders called `node_modules`, in order of preference; many of them do not exist. */
export function packageFolders(options: PackageFoldersOptions): readonly string[] {
  const folders: string[] = [];
  for (let at = options.packagesFrom ?? import.meta.dirname; ; at = dirname(at)) {
    folders.push(join(at, "node_modules"));
    if (at === dirname(at)) break;
  }
  for (const bin of safeSearchPath(options.searchPath, options)) {
    folders.push(process.platform === "win32" ? join(bin, "node_modules") : join(dirname(bin), "lib/node_modules"));
  }
  return [...new Set(folders)];
}
