// The limit on open files. When it is reached, nothing is wrong with the file that could not be opened, and results
// based on such failures would be wrong: callers stop instead.

import { closeSync, openSync } from "node:fs";
import { systemCode } from "./atomic-file.ts";
import { AtomicError } from "./errors.ts";

/** EMFILE: this process has too many. ENFILE: the whole system. */
export function isOutOfFilesCode(code: string | undefined): boolean {
  return code === "EMFILE" || code === "ENFILE";
}

/** Opens the file as often as a library would, to find out why the library failed when it does not say. */
export function isOutOfFiles(path: string, handles: number): boolean {
  const opened: number[] = [];
  try {
    for (let i = 0; i < handles; i++) opened.push(openSync(path, "r"));
    return false;
  } catch (thrown) {
    return isOutOfFilesCode(systemCode(thrown));
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

export function outOfFiles(path: string, cause: unknown): AtomicError {
  return new AtomicError(
    "TOO_MANY_OPEN_FILES",
    `${path} can't be opened: too many files are open. Nothing is wrong with it. Raise the limit (\`ulimit -n 1024\`), or close other programs, and try again.`,
    { cause, retryable: true, details: { path } },
  );
}
