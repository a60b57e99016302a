// Puts what was written to a file onto the medium. On macOS a plain sync leaves it in the drive's own memory; Node asks
// for more there (F_FULLFSYNC), Bun does not, so it is asked for here.

import { fdatasyncSync, fsyncSync } from "node:fs";
import { type Libc, loadLibc } from "./libc.ts";

/** `fcntl(fd, F_FULLFSYNC)` */
const fullSyncCommand = 51;

interface SyncSystem {
  readonly platform: NodeJS.Platform;
  readonly libc: () => Pick<Libc, "fcntl"> | undefined;
}

const thisSystem: SyncSystem = { platform: process.platform, libc: loadLibc };

/** Contents and everything else that is known about the file. */
export function syncAll(fd: number, system: SyncSystem = thisSystem): void {
  if (!reachesMedium(fd, system)) fsyncSync(fd);
}

/** Contents, and what is needed to find them. */
export function syncData(fd: number, system: SyncSystem = thisSystem): void {
  if (!reachesMedium(fd, system)) fdatasyncSync(fd);
}

/** Some file systems know nothing of it: then a plain sync has to do. */
function reachesMedium(fd: number, { platform, libc }: SyncSystem): boolean {
  return platform === "darwin" && libc()?.fcntl(fd, fullSyncCommand) === 0;
}
