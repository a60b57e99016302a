// Files that are complete or absent, even after a kill or a power cut: written under another name in the same folder,
// synced, moved into place, and the folder synced too. Synchronous, because every caller waits for the result.

import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { syncAll } from "./full-sync.ts";

/** Temporary names start with a dot and end in `.tmp`, so that no reader mistakes them for the final file. */
export function temporaryName(folder: string): string {
  return join(folder, `.${crypto.randomUUID()}.tmp`);
}

/** Who may read a new file: only this user (the output of runs and agents is private), or as the umask allows. */
export type FileAccess = "private" | "shared";

/**
 * Creates the file, or replaces it and keeps its permissions. On failure it throws the system's error and leaves the
 * old
 * content.
 */
export function writeFileAtomically(path: string, content: string | Uint8Array, access: FileAccess = "private"): void {
  replaceFile(path, content, access, syncAll);
  syncFolder(dirname(path));
}

/**
 * The same without waiting for the disk: readers always find a complete file, but after a power cut it may be empty.
 * For
 * data that is useless by then, such as which processes run.
 */
export function writeFileUnsynced(path: string, content: string | Uint8Array): void {
  replaceFile(path, content, "private", () => undefined);
}

function replaceFile(path: string, content: string | Uint8Array, access: FileAccess, sync: (fd: number) => void): void {
  const temporary = temporaryName(dirname(path));
  const before = lstatSync(path, { throwIfNoEntry: false });
  try {
    writeNewFile(temporary, content, access, sync);
    if (before?.isFile() === true) setMode(temporary, before.mode & 0o777);
    renameSync(temporary, path);
  } catch (error) {
    discard(temporary);
    throw error;
  }
}

/**
 * Replaces the file only if it still holds what was read from it; returns false if it has changed since. It is compared
 * right before the move; a write in the instant between the two is lost.
 */
export function replaceFileIfSame(path: string, before: Uint8Array, content: string | Uint8Array): boolean {
  const temporary = temporaryName(dirname(path));
  try {
    writeNewFile(temporary, content, "shared");
    const now = lstatSync(path);
    chmodSync(temporary, now.mode & 0o777);
    if (!now.isFile() || now.size !== before.length || Buffer.compare(readFileSync(path), before) !== 0) return false;
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
  return true;
}

/** Creates a complete file under a free name. False when the name is taken; exactly one of several racers gets true. */
export function createFileAtomically(
  path: string,
  content: string | Uint8Array,
  access: FileAccess = "private",
): boolean {
  const temporary = temporaryName(dirname(path));
  try {
    writeNewFile(temporary, content, access);
    return publishFile(temporary, path);
  } finally {
    discard(temporary);
  }
}

/** Sets the file's mode, where the file system keeps modes (FAT and some network drives don't). */
export function setMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!modeless.has(systemCode(error) ?? "")) throw error;
  }
}

/** Whether the file system keeps the modes of files: FAT and some network drives show one mode for all. */
export function keepsModes(folder: string): boolean {
  const probe = temporaryName(folder);
  try {
    closeSync(openSync(probe, "wx", 0o600));
    return (lstatSync(probe).mode & 0o077) === 0;
  } finally {
    discard(probe);
  }
}

const modeless: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EINVAL"]);

/** Removes a temporary file. A failure is ignored: it must not hide the error that made the file useless. */
export function discard(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
  }
}

/** Gives a finished file a name if it is free; the caller removes the temporary name. */
export function publishFile(temporary: string, path: string, link: typeof linkSync = linkSync): boolean {
  try {
    link(temporary, path);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    if (!linkless.has(systemCode(error) ?? "")) throw error;
    if (!copyExclusively(temporary, path)) return false;
  }
  syncFolder(dirname(path));
  return true;
}

// The errors of file systems without hard links (FAT, some shared folders of virtual machines).
const linkless: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Readers may see an incomplete file, but still only one of several racers gets the name. */
function copyExclusively(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
  syncFile(to);
  return true;
}

/** Makes a rename or a new name in the folder durable, where the system can sync a folder. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  try {
    syncFile(folder, "r");
  } catch (error) {
    if (!unsyncable.has(systemCode(error) ?? "")) throw error;
  }
}

const unsyncable: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Writes all bytes, in as many calls as the system needs. */
export function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length;) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
}

/** The system's name of a failure (`ENOSPC`), when it has one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/**
 * True for errors of the system (`ENOENT`, `EACCES`, `EIO`, …). An invalid call has a code too
 * (`ERR_INVALID_ARG_TYPE`),
 * but is a bug: it must not be mistaken for a missing file.
 */
export function isSystemError(error: unknown): boolean {
  // Deno has no code for what its own permissions forbid.
  if (error instanceof Error && (error.name === "NotCapable" || error.name === "PermissionDenied")) return true;
  return /^E(?!RR_)[A-Z0-9]+$/.test(systemCode(error) ?? "");
}

function writeNewFile(
  path: string,
  content: string | Uint8Array,
  access: FileAccess,
  sync: (fd: number) => void = syncAll,
): void {
  const fd = openSync(path, "wx", access === "private" ? 0o600 : 0o666);
  try {
    writeAll(fd, typeof content === "string" ? Buffer.from(content) : content, 0);
    sync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The file's contents are on the disk when it returns. */
export function syncFile(path: string, flags = "r+"): void {
  const fd = openSync(path, flags);
  try {
    syncAll(fd);
  } finally {
    closeSync(fd);
  }
}
