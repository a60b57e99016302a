// Writes a file of the working folder, and of nowhere else: not by `..`, not by an absolute path, not through a link.

import { mkdir, readlink, realpath, writeFile } from "node:fs/promises";
import posixOrWindows, { dirname, join, relative, resolve } from "node:path";

type PathRules = Pick<typeof posixOrWindows, "relative" | "isAbsolute" | "sep">;

export class OutsideFolderError extends Error {}

/** The path that was written. */
export async function writeInside(folder: string, path: string, content: string): Promise<string> {
  const root = await realpath(folder);
  const target = resolve(root, path);
  const parent = await realParent(dirname(target));
  if (!isInside(root, parent)) throw outside(path);
  if (!isInside(root, await realFile(target))) throw outside(path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
  return target;
}

/** Where a write to the file would land. A link that leads nowhere leads nowhere inside. */
async function realFile(path: string): Promise<string> {
  const isLink = await readlink(path).then(
    () => true,
    () => false,
  );
  return isLink ? realpath(path).catch(() => "/") : path;
}

/** The real path of a folder that may not exist yet: that of its nearest ancestor that does, and the rest. */
async function realParent(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : join(await realParent(parent), relative(parent, folder));
  }
}

/** Both real. `paths`: the rules of the system; `..` ends in another character on each. */
export function isInside(root: string, path: string, paths: PathRules = posixOrWindows): boolean {
  const way = paths.relative(root, path);
  return way === "" || (!paths.isAbsolute(way) && way !== ".." && !way.startsWith(`..${paths.sep}`));
}

function outside(path: string): OutsideFolderError {
  return new OutsideFolderError(`"${path}" is outside the working folder; a script writes only inside it`);
}
