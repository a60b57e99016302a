// The user's home folder: HOME, or what the system knows about the user; and the folder of this program's own files.

import { homedir } from "node:os";
import { join } from "node:path";
import { systemCode } from "./atomic-file.ts";

/** The home that systems give users without one. It does not exist, so nothing is found in it. */
export const noHome = "/nonexistent";

/** `noHome` where HOME is not set and the user is not known to the system, as in many containers. */
export function homeFolder(environment: Readonly<Record<string, string | undefined>>): string {
  const written = environment["HOME"] ?? "";
  if (written !== "") return written;
  try {
    return homedir();
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return noHome;
  }
}

/** `~/.atomic`, or where ATOMIC_HOME says. */
export function atomicHome(environment: Readonly<Record<string, string | undefined>>): string {
  const moved = environment["ATOMIC_HOME"] ?? "";
  return moved === "" ? join(homeFolder(environment), ".atomic") : moved;
}
