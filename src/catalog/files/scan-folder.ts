// Lists one folder for the loaders: in a fixed order, links checked, one level deep. Never throws for what it finds: an
// entry that can't be used becomes a diagnostic, and the others are still listed. A missing folder counts as empty.

import { lstatSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join, sep } from "node:path";
import { systemCode } from "../../lib/atomic-file.ts";
import { diagnostic, orRefuse, Refusal, type Diagnostic } from "../diagnostics.ts";
import { resolveInside } from "./links.ts";
import { unreadable } from "./read-file.ts";

// More than anyone writes by hand; a folder with a million names must not stall a listing.
const maxEntries = 10_000;

export interface FolderEntry {
  readonly name: string;
  /** Where it was found, for people. */
  readonly path: string;
  /** What to open: no part of it is a link (as of the scan). */
  readonly realPath: string;
  readonly isFolder: boolean;
}

export interface ScanResult {
  readonly entries: readonly FolderEntry[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface ScanOptions {
  /** The real path that nothing may lead out of; undefined for a user's own folders. */
  readonly boundary: string | undefined;
  /** Also names that start with a dot. */
  readonly isHiddenIncluded?: boolean;
}

export function scanFolder(folder: string, options: ScanOptions): ScanResult {
  const diagnostics: Diagnostic[] = [];
  const report = (found: Diagnostic): void => void diagnostics.push(found);
  const listed = orRefuse(folder, report, () => list(folder, options));
  if (listed === undefined) return { entries: [], diagnostics };
  const entries: FolderEntry[] = [];
  if (listed.names.length > maxEntries) {
    const message = `${listed.names.length} entries; only the first ${maxEntries} by name are read.`;
    report(diagnostic("warning", "too-many", message, { file: folder }));
  }
  const prefix = `${join(folder)}${sep}`;
  for (const found of listed.names.slice(0, maxEntries)) {
    const path = prefix + found.name;
    const entry = orRefuse(path, report, () => resolveEntry(found, path, listed.realPath, options));
    if (entry !== undefined) entries.push(entry);
  }
  return { entries, diagnostics };
}

interface Listing {
  readonly realPath: string;
  readonly names: readonly Dirent[];
}

function list(folder: string, options: ScanOptions): Listing {
  if (!exists(folder)) return { realPath: folder, names: [] };
  const realPath = resolveInside(folder, options.boundary);
  try {
    const all = readdirSync(realPath, { withFileTypes: true });
    const names = options.isHiddenIncluded === true ? all : all.filter((entry) => !entry.name.startsWith("."));
    return { realPath, names: names.toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  } catch (thrown) {
    if (systemCode(thrown) === "ENOTDIR") throw new Refusal("not-a-file", "A folder is expected here, not a file.");
    throw unreadable(thrown);
  }
}

/** True for a dangling link too, which gets a diagnostic; a missing folder does not. */
function exists(folder: string): boolean {
  try {
    lstatSync(folder);
    return true;
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    throw unreadable(thrown);
  }
}

function resolveEntry(found: Dirent, path: string, realFolder: string, options: ScanOptions): FolderEntry {
  const { name } = found;
  if (!found.isSymbolicLink()) {
    return { name, path, realPath: realFolder + sep + name, isFolder: found.isDirectory() };
  }
  const realPath = resolveInside(path, options.boundary);
  return { name, path, realPath, isFolder: statSync(realPath).isDirectory() };
}
