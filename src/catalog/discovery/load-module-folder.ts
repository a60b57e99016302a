// Workflow and tool files of one folder, described from their text. Nothing is run here: load/ does that, after trust/.

import { join, parse as parsePath } from "node:path";
import { diagnostic, orRefuse, Refusal, type Diagnostic } from "../diagnostics.ts";
import { isInside, realOrSame } from "../../lib/real-path.ts";
import { scanFolder } from "../files/scan-folder.ts";
import type { ModuleReader } from "../modules/read-module.ts";
import type { Described } from "../modules/workflow-file.ts";
import type { Roots } from "./entity-folders.ts";

export type ModuleSource = "local" | "global";

export interface ModuleFolder {
  readonly holds: "workflows" | "tools";
  readonly source: ModuleSource;
  readonly path: string;
  readonly boundary: string | undefined;
  readonly rank: number;
}

export interface FoundModule<T> {
  readonly info: T;
  readonly source: ModuleSource;
  /** Where it was found, for people. */
  readonly path: string;
  /** What to read. */
  readonly realPath: string;
  /** In the user's own global folder, and not linked from elsewhere: it runs without a trust question. */
  readonly isOwn: boolean;
  readonly rank: number;
}

export interface LoadedModules<T> {
  readonly found: readonly FoundModule<T>[];
  readonly diagnostics: readonly Diagnostic[];
}

/** `.atomic/workflows` before `~/.atomic/workflows`; in the home folder they are one, the user's own. */
export function moduleFolders(roots: Roots, name: "workflows" | "tools"): readonly ModuleFolder[] {
  const global: ModuleFolder = {
    holds: name,
    source: "global",
    path: join(roots.atomicHome, name),
    boundary: undefined,
    rank: 1000,
  };
  const path = join(roots.projectDir, ".atomic", name);
  if (realOrSame(path) === realOrSame(global.path)) return [global];
  return [{ holds: name, source: "local", path, boundary: realOrSame(roots.projectDir), rank: 0 }, global];
}

export function loadModuleFolder<T>(
  folder: ModuleFolder,
  reader: ModuleReader,
  describe: (path: string, realPath: string) => Described<T> | undefined,
): LoadedModules<T> {
  const scan = scanFolder(folder.path, { boundary: folder.boundary });
  const diagnostics = [...scan.diagnostics];
  const report = (problem: Diagnostic): void => void diagnostics.push(problem);
  const reportUnused = (problem: Diagnostic, names: readonly string[]): void =>
    report(folder.holds === "workflows" ? { ...problem, names } : problem);
  const realFolder = realOrSame(folder.path);
  const found: FoundModule<T>[] = [];
  for (const entry of scan.entries) {
    // Folders hold helpers; tests and declarations belong to the author's own tools.
    if (entry.isFolder || /\.(?:d|test|spec)\.ts$/.test(entry.name)) continue;
    if (!entry.name.endsWith(".ts")) {
      if (/\.(?:[mc]?js|[mc]ts|[jt]sx)$/.test(entry.name))
        reportUnused(notRead(entry.path, "Only .ts files are read here."), [parsePath(entry.name).name]);
      continue;
    }
    const refuse = (problem: Diagnostic): void => reportUnused(problem, namesIn(entry.path, entry.realPath));
    const described = orRefuse(entry.path, refuse, () => {
      const found = describe(entry.path, entry.realPath);
      if (found === undefined)
        refuse(notRead(entry.path, "It exports no workflow, so it is treated as a helper file."));
      return found;
    });
    if (described === undefined) continue;
    for (const note of described.notes) report({ ...note, file: entry.path });
    const isOwn = folder.source === "global" && isInside(entry.realPath, realFolder);
    const { path, realPath } = entry;
    found.push({ info: described.info, source: folder.source, path, realPath, isOwn, rank: folder.rank });
  }
  return { found, diagnostics };

  /** The names a user may ask for it by: its file's, and the one it exports if that much of it can be read. */
  function namesIn(path: string, realPath: string): readonly string[] {
    const fileName = parsePath(path).name;
    try {
      const written = reader.read(realPath).scan().exports.get("name")?.literal;
      return typeof written === "string" && written !== fileName ? [fileName, written] : [fileName];
    } catch (thrown) {
      if (thrown instanceof Refusal) return [fileName];
      throw thrown;
    }
  }
}

function notRead(file: string, message: string): Diagnostic {
  return diagnostic("info", "not-read", message, { file });
}
