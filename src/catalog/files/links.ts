// Symbolic links in folders that are not trusted. Owns one rule: what a project's folders link to must be inside the
// project. A user's own folders have no boundary, because people link their dotfiles from elsewhere.

import { isInside } from "../../lib/real-path.ts";
import { realpathSync } from "node:fs";
import { systemCode } from "../../lib/atomic-file.ts";
import { Refusal } from "../diagnostics.ts";
import { unreadable } from "./read-file.ts";

/** The real path behind `path`, which must exist and, where there is a boundary, lie inside it. */
export function resolveInside(path: string, boundary: string | undefined): string {
  let real: string;
  try {
    real = realpathSync(path);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") throw new Refusal("dangling-link", "The target of the link does not exist.");
    throw unreadable(thrown);
  }
  if (boundary !== undefined && !isInside(real, boundary)) {
    throw new Refusal("outside-folder", `It leads out of the project, to ${real}, so it is not read.`);
  }
  return real;
}
