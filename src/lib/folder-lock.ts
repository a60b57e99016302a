// A lock on a folder that the kernel releases when its holder ends, however it ends. It answers a question that pids
// can't: whether a process in another container of this machine is alive. Only Bun can make the system call.

import { closeSync, openSync } from "node:fs";
import { loadLibc } from "./libc.ts";

const exclusive = 2;
const withoutWaiting = 4;

export interface FolderLock {
  /** Safe to call twice. */
  release(): void;
}

/** Undefined when another process holds it, or the system can't be asked. The folder must exist. */
export function lockFolder(folder: string): FolderLock | undefined {
  const libc = loadLibc();
  if (libc === undefined) return undefined;
  // Closed in child processes: they must not keep the lock.
  const fd = openSync(folder, "r");
  if (libc.flock(fd, exclusive | withoutWaiting) !== 0) {
    closeSync(fd);
    return undefined;
  }
  let isHeld = true;
  return {
    release() {
      if (isHeld) closeSync(fd);
      isHeld = false;
    },
  };
}

/** True if no process holds it. False if one does, or if that is unknown. */
export function isFolderFree(folder: string): boolean {
  const lock = lockFolder(folder);
  lock?.release();
  return lock !== undefined;
}
