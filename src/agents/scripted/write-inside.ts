// Writes a file of the working folder, and of nowhere else: not by `..`, not by an absolute path, not through a link.

import { mkdir, readlink, realpath, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { isInside } from "../../lib/real-path.ts";

export class OutsideFolderError extends Error {}

/** The path that was written. */
export async function writeInside(folder: string, path: string, content: string): Promise<string> {
  const root = await realpath(folder);
  const target = resolve(root, path);
  const parent = await realParent(dirname(target));
  if (!isInside(parent, root)) throw outside(path);
  if (!isInside(await realFile(target), root)) throw outside(path);
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
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    const parent = dirname(folder);
    return parent === folder ? folder : join(await realParent(parent), relative(parent, folder));
  }
}

function outside(path: string): OutsideFolderError {
  return new OutsideFolderError(`"${path}" is outside the working folder; a script writes only inside it`);
}
