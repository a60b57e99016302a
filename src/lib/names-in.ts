// The names in a folder that may not exist, or may not be readable.

import { readdirSync } from "node:fs";
import { isSystemError, systemCode } from "./atomic-file.ts";

/** Empty if there is no such folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw thrown;
  }
}

/** Empty also if it can't be read: for callers that can do without the names. */
export function readableNamesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return [];
  }
}
