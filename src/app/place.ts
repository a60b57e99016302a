// Where a front end works: the project's folder, the person's home, and Atomic's own folder in it. Read once, from the
// environment, which is the user's. No file of a project has a say in it.

import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";

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
  requireAbsolute("HOME", homeDir);
  if (moved !== "") requireAbsolute("ATOMIC_HOME", moved);
  return { projectDir, homeDir, atomicHome: moved === "" ? join(homeDir, ".atomic") : moved };
}

/** A relative path would mean another folder in every project, and one that a project could prepare. */
function requireAbsolute(variable: string, path: string): void {
  if (isAbsolute(path)) return;
  throw new AtomicError("SETTINGS_INVALID", `${variable} must be an absolute path, and is "${safeLine(path, 200)}".`);
}
