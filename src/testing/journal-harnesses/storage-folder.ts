// A folder for one harness: made fresh, removed afterwards, and made read-only in a way that also holds for root.

import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeFolder } from "../../lib/remove-folder.ts";

export function makeStorageFolder(): string {
  return mkdtempSync(join(tmpdir(), "atomic-journal-"));
}

export function removeStorageFolder(folder: string): void {
  removeFolder(folder);
}

/** Returns a function that undoes it; undefined when this user can do it neither by permissions nor by a mount. */
export function makeFolderReadOnly(folder: string): (() => void) | undefined {
  return process.getuid?.() === 0 ? mountReadOnly(folder) : removeWriteRights(folder);
}

/** Permissions don't restrict root, but a read-only mount of the folder onto itself does. */
function mountReadOnly(folder: string): (() => void) | undefined {
  if (!run("mount", "--bind", folder, folder)) return undefined;
  if (run("mount", "-o", "remount,ro,bind", folder)) return () => void run("umount", folder);
  run("umount", folder);
  return undefined;
}

function removeWriteRights(folder: string): () => void {
  const paths = [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  ];
  const modes = paths.map((path) => ({ path, mode: statSync(path).mode & 0o777 }));
  for (const { path, mode } of modes.toReversed()) chmodSync(path, mode & 0o555);
  return () => {
    for (const { path, mode } of modes) chmodSync(path, mode);
  };
}

function run(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" }, stdio: "ignore" }).status === 0;
}
