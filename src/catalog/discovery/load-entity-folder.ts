// Reads one folder of commands, skills or agents. A broken file becomes a diagnostic; its neighbours load.

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { diagnostic, orRefuse, type Diagnostic } from "../diagnostics.ts";
import type { UnifiedEntity } from "../entities/entity.ts";
import { parseEntity } from "../entities/parse-entity.ts";
import { resolveInside } from "../files/links.ts";
import { maxMarkdownBytes, readTextFile } from "../files/read-file.ts";
import { scanFolder, type FolderEntry } from "../files/scan-folder.ts";
import { parseMarkdown } from "../markdown/markdown-document.ts";
import type { EntityFolder } from "./entity-folders.ts";

export interface FoundEntity {
  readonly entity: UnifiedEntity;
  readonly rank: number;
}

export interface LoadedEntities {
  readonly found: readonly FoundEntity[];
  readonly diagnostics: readonly Diagnostic[];
}

export function loadEntityFolder(folder: EntityFolder): LoadedEntities {
  const scan = scanFolder(folder.path, { boundary: folder.boundary });
  const diagnostics = [...scan.diagnostics];
  const report = (problem: Diagnostic): void => void diagnostics.push(problem);
  const found: FoundEntity[] = [];
  for (const entry of scan.entries) {
    const file = orRefuse(entry.path, report, () => markdownFile(entry, folder, report));
    if (file === undefined) continue;
    const entity = orRefuse(file.path, report, () => readEntity(file, folder, report));
    if (entity !== undefined) found.push({ entity, rank: folder.rank });
  }
  return { found, diagnostics };
}

interface MarkdownFile {
  readonly path: string;
  readonly realPath: string;
  readonly defaultName: string;
}

function markdownFile(
  entry: FolderEntry,
  folder: EntityFolder,
  report: (problem: Diagnostic) => void,
): MarkdownFile | undefined {
  const isMarkdown = !entry.isFolder && /\.md$/i.test(entry.name);
  if (folder.layout === "files") {
    if (isMarkdown) return { ...entry, defaultName: nameOfFile(entry.name) };
    if (entry.isFolder) report(notRead(entry.path, `Folders inside "${folder.type}s" are not read.`));
    return undefined;
  }
  if (entry.isFolder) return skillFile(entry, folder, report);
  if (isMarkdown) report(notRead(entry.path, "A skill is a folder with a SKILL.md in it; this file is not read."));
  return undefined;
}

function skillFile(
  entry: FolderEntry,
  folder: EntityFolder,
  report: (problem: Diagnostic) => void,
): MarkdownFile | undefined {
  const path = join(entry.path, "SKILL.md");
  const inside = join(entry.realPath, "SKILL.md");
  const info = lstatSync(inside, { throwIfNoEntry: false });
  if (info === undefined) {
    report(notRead(entry.path, "The folder has no SKILL.md, so it is not a skill."));
    return undefined;
  }
  const realPath = info.isSymbolicLink() ? resolveInside(inside, folder.boundary) : inside;
  return { path, realPath, defaultName: entry.name };
}

function notRead(file: string, message: string): Diagnostic {
  return diagnostic("info", "not-read", message, { file });
}

/** `reviewer.agent.md` and `deploy.prompt.md` are Copilot's spellings of `reviewer.md` and `deploy.md`. */
function nameOfFile(name: string): string {
  return name.replace(/(?:\.(?:agent|prompt|chatmode))?\.md$/i, "");
}

function readEntity(
  file: MarkdownFile,
  folder: EntityFolder,
  report: (problem: Diagnostic) => void,
): UnifiedEntity | undefined {
  const document = parseMarkdown(readTextFile(file.realPath, maxMarkdownBytes));
  const { entity, notes } = parseEntity({
    type: folder.type,
    source: { provider: folder.provider, location: folder.location, path: file.path },
    defaultName: file.defaultName,
    fields: document.frontmatter,
    prompt: document.body,
  });
  for (const note of [...document.notes, ...notes]) report({ ...note, file: file.path });
  if (entity.extra?.["disable"] !== true) return entity;
  report(diagnostic("info", "disabled", `The ${entity.type} says "disable: true".`, { file: file.path }));
  return undefined;
}
