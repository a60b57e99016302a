// The names in a folder that may not exist.

import { readdirSync } from "node:fs";
import { systemCode } from "./atomic-file.ts";

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
