// Writes a file through to the medium. On macOS a plain sync leaves it in the drive's own cache; Node requests a full
// sync there (F_FULLFSYNC), Bun does not, so this file does.

import { fdatasyncSync, fsyncSync } from "node:fs";
import { type Libc, loadLibc } from "./libc.ts";

/** `fcntl(fd, F_FULLFSYNC)` */
const fullSyncCommand = 51;

interface SyncSystem {
  readonly platform: NodeJS.Platform;
  readonly libc: () => Pick<Libc, "fcntl"> | undefined;
}

const thisSystem: SyncSystem = { platform: process.platform, libc: loadLibc };

/** The contents and all metadata. */
export function syncAll(fd: number, system: SyncSystem = thisSystem): void {
  if (!reachesMedium(fd, system)) fsyncSync(fd);
}

/** The contents, and the metadata that is needed to read them. */
export function syncData(fd: number, system: SyncSystem = thisSystem): void {
  if (!reachesMedium(fd, system)) fdatasyncSync(fd);
}

/** Some file systems don't support it; callers then use a plain sync. */
function reachesMedium(fd: number, { platform, libc }: SyncSystem): boolean {
  return platform === "darwin" && libc()?.fcntl(fd, fullSyncCommand) === 0;
}
