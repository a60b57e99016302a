// What a user can trust: a workflow or tool with everything it imports by path, the settings of a project that make
// agents start something, or the commands in a file that a run would start. A subject is its content; its hash changes
// when any of it does.

import { lstatSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { AtomicError } from "../../lib/errors.ts";
import { createSha256 } from "../../lib/sha256.ts";
import { Refusal } from "../diagnostics.ts";
import type { Roots } from "../discovery/entity-folders.ts";
import { isInside, realOrSame } from "../../lib/real-path.ts";
import { resolveInside } from "../files/links.ts";
import { readFileBytes } from "../files/read-file.ts";
import { scanFolder } from "../files/scan-folder.ts";
import type { ComputedImport, ImportClosure } from "../modules/import-closure.ts";

export const trustKinds = ["workflow", "tool", "project", "commands"] as const;
export type TrustKind = (typeof trustKinds)[number];

export interface TrustedFile {
  /** Real path. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

export interface TrustSubject {
  readonly kind: TrustKind;
  /** Real path of the file, or of the project's folder. Trust is given to this path with this content. */
  readonly path: string;
  readonly hash: string;
  readonly files: readonly TrustedFile[];
  /** Loaded from node_modules, not hashed. */
  readonly packages: readonly string[];
  readonly runtimeModules: readonly string[];
  readonly computed: readonly ComputedImport[];
  /** All of it lies in the user's own folder. */
  readonly isOwn: boolean;
}

export interface ModuleOrigin {
  readonly kind: "workflow" | "tool";
  /** Found in the user's global folder, and not through a link. */
  readonly isOwn: boolean;
  readonly atomicHome: string;
}

export function subjectOfModule(closure: ImportClosure, origin: ModuleOrigin): TrustSubject {
  const home = realOrSame(origin.atomicHome);
  const files = closure.files.map(({ path, file }) => ({ path, sha256: file.sha256, bytes: file.bytes }));
  return {
    kind: origin.kind,
    path: closure.entry,
    hash: closure.hash,
    files,
    packages: closure.packages,
    runtimeModules: closure.runtimeModules,
    computed: closure.computed,
    // A user's file that imports from a project is only as safe as that project.
    isOwn: origin.isOwn && files.every((file) => isInside(file.path, home)),
  };
}

/**
 * The commands in a file, in any order and any number of times. The rest of the file, such as which tasks are done, may
 * change without a new question.
 */
export function subjectOfCommands(file: string, commands: readonly string[], atomicHome: string): TrustSubject {
  const path = realOrSame(file);
  const sorted = [...new Set(commands)].toSorted();
  // Shown and stored as they would be typed. The hash covers an unambiguous form.
  const bytes = new TextEncoder().encode(sorted.map((command) => `${command}\n`).join(""));
  const sha256 = createSha256().update(bytes).digest("hex");
  const hash = createSha256().update(JSON.stringify(sorted)).digest("hex");
  const files = [{ path, sha256, bytes }];
  const isOwn = sorted.length === 0 || isInside(path, realOrSame(atomicHome));
  return { kind: "commands", path, hash, files, packages: [], runtimeModules: [], computed: [], isOwn };
}

/**
 * Files and folders with which a project can make an agent program run something: settings, hooks, servers, plugins.
 */
const projectSettings = {
  files: [
    ".mcp.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
    // OpenCode installs what it lists.
    ".opencode/package.json",
    ".vscode/mcp.json",
    ".github/copilot/settings.json",
    ".github/copilot/mcp-config.json",
  ],
  folders: [
    ".claude/hooks",
    ".opencode/plugin",
    ".opencode/plugins",
    ".opencode/tool",
    ".opencode/tools",
    ".github/hooks",
  ],
} as const;

const maxSettingBytes = 4 * 1024 * 1024;
const maxSettingFiles = 500;

/**
 * `more`: further files of the project. Throws NOT_TRUSTED if one of the files can't be read, because no user can check
 * it then.
 */
export function subjectOfProject(
  { projectDir, homeDir }: Pick<Roots, "projectDir" | "homeDir">,
  more: readonly string[] = [],
): TrustSubject {
  const root = realOrSame(projectDir);
  try {
    return readProject(root, realOrSame(homeDir), more);
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new AtomicError(
      "NOT_TRUSTED",
      `The settings of ${root} can't be checked, so they are not used. ${thrown.message}`,
    );
  }
}

function readProject(root: string, home: string, more: readonly string[]): TrustSubject {
  const files = [...foldersUp(root, home).flatMap(settingsIn), ...more.map((path) => readSetting(path, root))];
  const name = (path: string): string => relative(root, path).split(sep).join("/");
  const rows = files.map((file) => JSON.stringify([name(file.path), file.sha256]));
  const hash = createSha256().update(rows.toSorted().join("\n")).digest("hex");
  const isOwn = root === home;
  return { kind: "project", path: root, hash, files, packages: [], runtimeModules: [], computed: [], isOwn };
}

/**
 * Agents look for settings in every folder from the working folder up. What is in the user's home is the user's own.
 */
function foldersUp(root: string, home: string): string[] {
  const folders: string[] = [];
  for (let folder = root; folder !== home; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === dirname(folder)) break;
  }
  return folders;
}

function settingsIn(folder: string): TrustedFile[] {
  const paths = [
    ...projectSettings.files.map((name) => join(folder, name)).filter(isThere),
    ...projectSettings.folders.flatMap((name) => filesIn(join(folder, name), folder)),
  ];
  return paths.map((path) => readSetting(path, folder));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/**
 * Every file below the folder. If a folder can't be listed, the whole project is refused: its files can't be checked.
 */
function filesIn(folder: string, root: string): string[] {
  const files: string[] = [];
  const seen = new Set<string>();
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { entries, diagnostics } = scanFolder(next, { boundary: root, isHiddenIncluded: true });
    const [problem] = diagnostics;
    if (problem !== undefined) throw new Refusal(problem.code, `${problem.file ?? next}: ${problem.message}`);
    for (const entry of entries) {
      // A link may point to a parent; each folder is visited once.
      if (entry.isFolder && !seen.has(entry.realPath)) waiting.push(entry.path);
      if (!entry.isFolder) files.push(entry.path);
      seen.add(entry.realPath);
    }
    if (files.length > maxSettingFiles)
      throw new Refusal("too-many", `${folder} holds more than ${maxSettingFiles} files.`);
  }
  return files;
}

function readSetting(path: string, root: string): TrustedFile {
  try {
    const bytes = readFileBytes(resolveInside(path, root), maxSettingBytes);
    return { path, bytes, sha256: createSha256().update(bytes).digest("hex") };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new Refusal(thrown.code, `${path}: ${thrown.message}`);
  }
}
