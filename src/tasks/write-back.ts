// Writes how tasks ended into the list they came from. The file may be edited by its owner at the same time: it is read
// anew each time, only statuses change in it, and it is replaced whole, only if it has not changed since.

import { readFileSync, realpathSync } from "node:fs";
import { replaceFileIfSame, isSystemError } from "../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../lib/errors.ts";
import { editStatuses, type TaskEnd } from "./edit-statuses.ts";
import { parseTaskList, readTaskFile } from "./task-file.ts";

/** If the owner saves more often than this, the next try is when another task ends. */
const maxTries = 10;

/** Undefined when the list says it all now; otherwise why it can't. Tasks that are no longer in the list are left out. */
export function writeBack(path: string, ends: readonly TaskEnd[], now: Date): string | undefined {
  try {
    // A link stays one; what it leads to is replaced.
    const file = realpathSync(path);
    for (let i = 0; i < maxTries; i++) {
      // Refuses what can't be read safely: a pipe, a file that is too large, one that is no longer a list.
      if (readTaskFile(file) === undefined) return `${path} is gone`;
      const before = readFileSync(file);
      const text = before.toString("utf8");
      parseTaskList(text, file);
      const after = editStatuses(text, ends, now);
      if (after === text) return undefined;
      // What is written must be a list again.
      parseTaskList(after, file);
      if (replaceFileIfSame(file, before, after)) return undefined;
    }
    return `${path} keeps changing`;
  } catch (thrown) {
    // The work is done, whatever its list says: the run continues, and tries again when the next task ends.
    if (AtomicError.is(thrown, "TASKS_INVALID") || isSystemError(thrown)) return messageOf(thrown);
    throw thrown;
  }
}
