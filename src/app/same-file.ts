// Two paths for one file or folder, whatever links are on the way.

import { realpathSync } from "node:fs";
import { isSystemError } from "../lib/atomic-file.ts";

export function isSameFile(a: string, b: string): boolean {
  return a === b || (a !== "" && b !== "" && realOrSame(a) === realOrSame(b));
}

/** One that is gone, or that may not be looked at, is still the same as itself. */
export function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return path;
  }
}
