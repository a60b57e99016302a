// Which ignored folders of the user's a work tree shares: packages that git does not keep, and that builds and tests
// need. By itself only what is known to hold packages, and only where it leads back to none of the repository's own
// files: programs in a tree would use the main checkout's code then, unnoticed.

import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { isReallyInside } from "../../lib/real-path.ts";
import { isSystemError } from "../../lib/atomic-file.ts";
import { readableNamesIn } from "../../lib/names-in.ts";
import type { Git } from "../git/git.ts";

export interface SharedFolders {
  /** Below the top of the repository. */
  readonly names: readonly string[];
  /** Folders that are not shared, each with the reason. */
  readonly notes: readonly string[];
}

const packageFolders: ReadonlySet<string> = new Set(["node_modules", "bower_components", ".venv", "venv", "Pods"]);

/** `wanted`: names, or `auto`, or `none`. */
export async function chooseSharedFolders(git: Git, top: string, wanted: readonly string[]): Promise<SharedFolders> {
  const names: string[] = [];
  const notes: string[] = [];
  for (const name of wanted.filter((each) => each !== "auto" && each !== "none")) {
    const problem = await problemWith(git, top, name);
    if (problem === undefined) names.push(name);
    else notes.push(`${name} is not shared: ${problem}`);
  }
  if (!wanted.includes("auto")) return { names, notes };
  for (const name of await ignoredFolders(git)) {
    if (!packageFolders.has(basename(name)) || names.includes(name)) continue;
    const own = leadsBack(top, name);
    if (own === undefined) names.push(name);
    else notes.push(`${name} is not shared: it leads to ${own}. Set worktrees.setup to a command that makes it`);
  }
  return { names, notes };
}

async function problemWith(git: Git, top: string, name: string): Promise<string | undefined> {
  const path = join(top, name);
  if (!isReallyInside(path, top) || name.split("/").includes("..")) return "it is not inside the repository";
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return "there is no such folder";
  // Shared and tracked, a worker's changes would be the user's at once.
  const { ok } = await git.run(["check-ignore", "--quiet", "--", `${name}/`]);
  return ok ? undefined : "git does not ignore it";
}

async function ignoredFolders(git: Git): Promise<readonly string[]> {
  const { stdout } = await git.run(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]);
  return stdout
    .toString("utf8")
    .split("\0")
    .filter((name) => name.endsWith("/"))
    .map((name) => name.slice(0, -1));
}

/** A file of the repository, outside the folder, that something in it leads to. */
function leadsBack(top: string, name: string): string | undefined {
  const folder = join(top, name);
  const links = basename(name).includes("venv") ? editableInstalls(folder) : linksIn(folder);
  return links.find((path) => isReallyInside(path, top) && !isReallyInside(path, folder));
}

/** Packages of the repository itself (workspaces) are links, at the top or below a scope. */
function linksIn(folder: string): readonly string[] {
  return readableNamesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name.startsWith("@")) return linksIn(path);
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? realPaths(path) : [];
  });
}

/** `pip install -e` writes the path of the package into a file. */
function editableInstalls(folder: string): readonly string[] {
  const lib = join(folder, "lib");
  return readableNamesIn(lib).flatMap((python) => {
    const packages = join(lib, python, "site-packages");
    const files = readableNamesIn(packages).filter((name) => name.endsWith(".pth") || name.endsWith(".egg-link"));
    return files.flatMap((file) => readFileSync(join(packages, file), "utf8").split("\n").filter(isPath));
  });
}

function isPath(line: string): boolean {
  return line.startsWith("/");
}

function realPaths(link: string): readonly string[] {
  try {
    return [realpathSync(link)];
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return [];
  }
}
