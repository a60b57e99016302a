// Where an agent's program is: the setting, then the SDK's own package, then PATH. Never the project the agent works
// in: a stranger's repository could contain its own `claude`, and an entry of PATH would find it.

import { isSystemError } from "../../lib/atomic-file.ts";
import { realOrSame } from "../../lib/real-path.ts";
import { accessSync, constants, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import { packageFolders } from "./package-folders.ts";
import { projectFolders, safeSearchPath } from "./search-path.ts";

export interface FoundProgram {
  readonly path: string;
  readonly source: "setting" | "package" | "path";
}

export interface FindProgramOptions {
  /** As on PATH: `claude`. */
  readonly name: string;
  /** An absolute path from the user's own settings. When it is there, nothing else is tried. */
  readonly setting?: string | undefined;
  /** What that setting is called, for errors: `agents.claude.path`. Absent: the path was not taken from the settings. */
  readonly settingName?: string | undefined;
  /** Files of npm packages, in order of preference: `@github/copilot-linux-x64/copilot`. */
  readonly packageFiles?: readonly string[] | undefined;
  /** The folder those packages are looked for from, going up. Absent: this program's own. */
  readonly packagesFrom?: string | undefined;
  /** The user's PATH. */
  readonly searchPath: string | undefined;
  /** The folder the agent works in. */
  readonly cwd: string;
  /** Absent: the home folder of this process. */
  readonly home?: string | undefined;
  /** How to get it, for the error: `npm install -g opencode-ai`. */
  readonly install: string;
}

export type PathSearch = Pick<FindProgramOptions, "name" | "searchPath" | "cwd" | "home">;

/** Throws AGENT_UNAVAILABLE with where it was looked for and how to install it. */
export function findProgram(options: FindProgramOptions): FoundProgram {
  if (options.setting !== undefined) return fromSetting(options, options.setting);
  const path = inPackages(options);
  if (path !== undefined) return { path, source: "package" };
  const onSearchPath = findOnPath(options);
  if (onSearchPath !== undefined) return { path: onSearchPath, source: "path" };
  const { name, install, settingName, packageFiles } = options;
  const places = packageFiles === undefined ? "it is not on PATH" : "not as a package, not on PATH";
  const other =
    settingName === undefined ? "" : `, or set its path with \`atomic config set ${settingName} /path/to/${name}\``;
  throw unavailable(options, `The program "${name}" was not found: ${places}. Install it (${install})${other}.`);
}

function fromSetting(options: FindProgramOptions, path: string): FoundProgram {
  const { settingName } = options;
  const isOwn = settingName !== undefined;
  const fix = isOwn ? "Correct it, or remove it." : "Correct the path.";
  const set = isOwn ? `The setting ${settingName} is "${path}", which` : `"${path}"`;
  if (!isAbsolute(path)) throw unavailable(options, `${set} is not an absolute path. ${fix}`);
  if (!isExecutable(path)) throw unavailable(options, `${set} is not a program. ${fix}`);
  return { path, source: "setting" };
}

/** A program on the user's PATH that is not the project's. */
export function findOnPath({ name, searchPath, cwd, home }: PathSearch): string | undefined {
  const names = process.platform === "win32" ? [`${name}.exe`, `${name}.cmd`, name] : [name];
  const isOfProject = projectFolders({ cwd, home });
  for (const folder of safeSearchPath(searchPath, { cwd, home })) {
    for (const candidate of names) {
      const path = join(folder, candidate);
      if (isExecutable(path) && !isOfProject(dirname(realOrSame(path)))) return path;
    }
  }
  return undefined;
}

/** Looked up by hand, because a package's `exports` may hide its program from the resolver. */
function inPackages(options: FindProgramOptions): string | undefined {
  for (const folder of packageFolders(options))
    for (const file of options.packageFiles ?? []) if (isExecutable(join(folder, file))) return join(folder, file);
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return false;
  }
}

function unavailable(options: FindProgramOptions, message: string): AtomicError {
  return new AtomicError("AGENT_UNAVAILABLE", message, {
    details: { program: options.name, install: options.install },
  });
}
