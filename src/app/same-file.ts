// Two paths for one file or folder, whatever links are on the way.

import { realOrSame } from "../lib/real-path.ts";

export function isSameFile(a: string, b: string): boolean {
  return a === b || (a !== "" && b !== "" && realOrSame(a) === realOrSame(b));
}
