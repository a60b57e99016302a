// The files and folders of a project, for completion after an @: what git tracks and what is new, then what it ignores.
// Outside a repository the folder itself is walked. Reading takes a moment and never delays a key: a search
// uses what is there.

import { readdirSync, type Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { createPathIndex, type IndexedPath, type PathIndex } from "../../lib/path-index.ts";
import { Git, type GitAtTop } from "../../workflows/git/git.ts";

export interface ProjectFiles {
  search(query: string, limit: number): readonly IndexedPath[];
  /** Reads the disk again, unless that has just happened. */
  refresh(): Promise<void>;
  /** After the disk was read. */
  onChange(listener: () => void): () => void;
}

/** More than this is not offered: a home folder, a mounted disk. */
const maxPaths = 300_000;
/** This many at a time, so that a key can be handled in between. */
const chunk = 20_000;
const freshMs = 2000;
/** Never walked into, and offered last, where git does not say what is ignored. */
const heavyFolders: ReadonlySet<string> = new Set(["node_modules", ".venv", "target", "dist", "build"]);

export function createProjectFiles(cwd: string, now: () => number): ProjectFiles {
  const listeners = new Set<() => void>();
  let index = createPathIndex();
  let ignoredFolders: readonly string[] = [];
  let opened = new Set<string>();
  let reading: Promise<void> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    const { paths, ignored } = (await listByGit(cwd)) ?? (await listByWalking(cwd));
    const made = createPathIndex();
    await fill(made, withFolders(paths), false);
    await fill(made, ignored, true);
    index = made;
    ignoredFolders = ignored.filter((path) => path.endsWith("/"));
    opened = new Set();
    readAt = now();
    for (const listener of listeners) listener();
  }

  /** A folder that git ignores is one entry until it is opened. */
  function openIgnored(query: string): void {
    const folder = query.slice(0, query.lastIndexOf("/") + 1);
    if (folder === "" || opened.has(folder)) return;
    if (!ignoredFolders.some((each) => folder.startsWith(each)) || folder.split("/").includes("..")) return;
    opened.add(folder);
    index.add(
      entriesOf(join(cwd, folder)).map((name) => folder + name),
      true,
    );
  }

  return {
    search(query, limit) {
      openIgnored(query);
      return index.search(query, limit);
    },
    refresh() {
      if (now() - readAt < freshMs) return Promise.resolve();
      return (reading ??= read().finally(() => (reading = undefined)));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

async function fill(index: PathIndex, paths: readonly string[], isIgnored: boolean): Promise<void> {
  for (let at = 0; at < paths.length; at += chunk) {
    index.add(paths.slice(at, at + chunk), isIgnored);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Listed {
  readonly paths: readonly string[];
  readonly ignored: readonly string[];
}

/** Undefined outside a repository, and where git refuses. */
async function listByGit(cwd: string): Promise<Listed | undefined> {
  const found = await Git.atTop(cwd);
  if (found === undefined || "problem" in found) return undefined;
  const here = relative(found.top, cwd).split(sep).join("/");
  const list = (...args: readonly string[]): Promise<readonly string[] | undefined> => lsFiles(found, here, args);
  const [known, gone, ignored] = await Promise.all([
    list("--cached", "--others", "--exclude-standard"),
    list("--deleted"),
    list("--others", "--ignored", "--exclude-standard", "--directory"),
  ]);
  if (known === undefined) return undefined;
  const deleted = new Set(gone);
  return { paths: known.filter((path) => !deleted.has(path)), ignored: ignored ?? [] };
}

async function lsFiles(
  { git }: GitAtTop,
  here: string,
  args: readonly string[],
): Promise<readonly string[] | undefined> {
  const under = here === "" ? [] : ["--", `:(literal)${here}/`];
  const { ok, stdout } = await git.run(["ls-files", "-z", ...args, ...under]);
  if (!ok) return undefined;
  const skip = here === "" ? 0 : here.length + 1;
  const paths = stdout.toString("utf8").split("\0").slice(0, maxPaths);
  return [...new Set(paths)].flatMap((path) => (path.length > skip ? [path.slice(skip)] : []));
}

async function listByWalking(cwd: string): Promise<Listed> {
  const paths: string[] = [];
  const ignored: string[] = [];
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined && paths.length < maxPaths; folder = folders.shift()) {
    for (const entry of await entriesIn(join(cwd, folder))) {
      const path = folder + entry.name;
      if (!entry.isDirectory()) paths.push(path);
      else if (heavyFolders.has(entry.name)) ignored.push(`${path}/`);
      else if (entry.name !== ".git") folders.push(`${path}/`);
    }
  }
  return { paths, ignored };
}

/** A folder that may not be read, or that has just gone, holds nothing. */
async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return [];
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `${entry.name}/` : entry.name,
    );
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return [];
  }
}

/** The folders that the paths lie in, each with a slash at its end, beside the paths. */
function withFolders(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const folder = path.slice(0, at + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders, ...paths];
}
