// Where a front end works: the project's folder, the person's home, and Atomic's own folder in it. Read once, from the
// environment, which is the user's. No file of a project has a say in it.

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { AtomicError } from "../lib/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Place {
  readonly projectDir: string;
  readonly homeDir: string;
  /** `~/.atomic`, or where ATOMIC_HOME says. */
  readonly atomicHome: string;
}

/** `projectDir` is absolute. */
export function placeOf(environment: Environment, projectDir: string): Place {
  const homeDir = environment["HOME"] || homedir();
  const moved = environment["ATOMIC_HOME"] ?? "";
  // A relative path would mean another folder in every project, and one that a project could prepare.
  if (moved !== "" && !isAbsolute(moved)) {
    throw new AtomicError("SETTINGS_INVALID", `ATOMIC_HOME must be an absolute path, and is "${moved}".`);
  }
  return { projectDir, homeDir, atomicHome: moved === "" ? join(homeDir, ".atomic") : moved };
}
