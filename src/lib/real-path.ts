// Where a path leads, and whether that is inside a folder: for paths where untrusted links may be.

import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import { isSystemError } from "./atomic-file.ts";

/** The real path; the path itself if nothing is there, or it may not be read. */
export function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return path;
  }
}

/** The path rules of a system: separators differ. */
export interface PathRules {
  readonly sep: string;
  relative(from: string, to: string): string;
  isAbsolute(path: string): boolean;
}

const ownRules: PathRules = { sep, relative, isAbsolute };

/** Both paths absolute and real. A folder is inside itself. */
export function isInside(path: string, folder: string, rules: PathRules = ownRules): boolean {
  const way = rules.relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${rules.sep}`) && !rules.isAbsolute(way));
}

/** Links are followed on both sides: a link out of a folder is not inside it. */
export function isReallyInside(path: string, folder: string): boolean {
  return isInside(realOrSame(path), realOrSame(folder));
}
