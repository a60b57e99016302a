// The folders that a front end works with: the project's, the user's home, and Atomic's own folder in it. Read once,
// from the environment, which is the user's. No file of a project affects it.

import { isAbsolute, join } from "node:path";
import { AtomicError } from "../lib/errors.ts";
import { homeFolder, noHome } from "../lib/home-folder.ts";
import { safeLine } from "../lib/safe-text.ts";
import { findProjectFolder } from "./project-folder.ts";

export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

export interface Folders {
  /** The folder that holds `.atomic`, or the current one where none does. Runs work there. */
  readonly projectDir: string;
  /** The folder that the user is in: paths that they type start there. */
  readonly currentDir: string;
  readonly homeDir: string;
  /** `~/.atomic`, or where ATOMIC_HOME says. */
  readonly atomicHome: string;
}

/** `currentDir` is absolute. */
export function foldersOf(environment: ProcessEnvironment, currentDir: string): Folders {
  const homeDir = homeFolder(environment);
  const moved = environment["ATOMIC_HOME"] ?? "";
  requireAbsolute("HOME", homeDir);
  if (moved !== "") requireAbsolute("ATOMIC_HOME", moved);
  else if (homeDir === noHome) throw homeless();
  return {
    projectDir: findProjectFolder(currentDir, homeDir),
    currentDir,
    homeDir,
    atomicHome: moved === "" ? join(homeDir, ".atomic") : moved,
  };
}

function homeless(): AtomicError {
  return new AtomicError(
    "SETTINGS_INVALID",
    "There is no home folder: HOME is not set, and the system does not know this user. Set HOME, or set ATOMIC_HOME to a folder for runs, settings and trust.",
  );
}

/** A relative path would mean another folder in every project, and one that a project could prepare. */
function requireAbsolute(variable: string, path: string): void {
  if (isAbsolute(path)) return;
  throw new AtomicError("SETTINGS_INVALID", `${variable} must be an absolute path, and is "${safeLine(path, 200)}".`);
}
