// Connections to database files. A used connection stays open for a moment: opening and closing costs more than most of
// what is done with it, and an interactive program needs it again at once. Closing the last one empties the -wal file.
//
// Invariants: a connection has one user at a time. An idle one holds no lock or transaction, and is not reused for a
// file that was changed or replaced since. All are closed when the process ends.

import type { DatabaseOptions, FileFacts } from "./database.ts";
import { closeDatabase, findDatabase, openDatabase } from "./database.ts";
import type { Connection } from "./sqlite-library.ts";

/** How long an unused connection stays open. */
const idleMs = 200;
const maxIdle = 4;

export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

/** A connection for one user, until it is given back. */
export interface Lease {
  readonly connection: Connection;
  /** The file that is open. */
  readonly file: FileIdentity;
  /** Notes a write: closing the connection then empties the -wal file. */
  noteWrite(): void;
  release(): void;
  /** Closes the connection after a failure, so that it is not reused. */
  discard(): void;
}

interface Open {
  readonly key: string;
  readonly path: string;
  readonly connection: Connection;
  /** As it was when it was opened or last given back. */
  file: FileFacts;
  hasWritten: boolean;
}

/** Unused connections, the oldest first, with the timer that closes each. */
const idle = new Map<Open, ReturnType<typeof setTimeout>>();
let isWatchingExit = false;

/** A connection to the file; undefined if there is no file. */
export function connect(options: DatabaseOptions, doing: "reading" | "writing"): Lease | undefined {
  const key = [options.path, options.sync, options.busyTimeoutMs, doing].join("\0");
  const file = findDatabase(options.path);
  for (const [open, timer] of idle) {
    if (open.key !== key) continue;
    clearTimeout(timer);
    idle.delete(open);
    if (file !== undefined && isUnchanged(file, open.file)) return lease(open);
    close(open);
  }
  if (file === undefined) return undefined;
  const { path } = options;
  return lease({ key, path, connection: openDatabase(options, file.size, doing), file, hasWritten: false });
}

/** Other processes write to the -wal file. The file itself changes only at their checkpoints, or from outside. */
function isUnchanged(now: FileFacts, before: FileFacts): boolean {
  const names = ["dev", "ino", "size", "mtimeMs", "ctimeMs"] as const;
  return names.every((name) => now[name] === before[name]);
}

function lease(open: Open): Lease {
  let isOver = false;
  const end = (how: (open: Open) => void): void => {
    if (isOver) return;
    isOver = true;
    how(open);
  };
  return {
    connection: open.connection,
    file: open.file,
    noteWrite: () => (open.hasWritten = true),
    release: () => end(keep),
    discard: () => end(close),
  };
}

function keep(open: Open): void {
  const file = findDatabase(open.path);
  if (file === undefined) return close(open);
  open.file = file;
  if (!isWatchingExit) {
    isWatchingExit = true;
    process.once("exit", () => closeIdleConnections());
  }
  const timer = setTimeout(() => {
    idle.delete(open);
    close(open);
  }, idleMs);
  timer.unref();
  idle.set(open, timer);
  for (const [oldest, itsTimer] of idle) {
    if (idle.size <= maxIdle) return;
    clearTimeout(itsTimer);
    idle.delete(oldest);
    close(oldest);
  }
}

/** For callers that need the files as they are on disk, and nothing beside them. Without a path: all of them. */
export function closeIdleConnections(path?: string): void {
  for (const [open, timer] of idle) {
    if (path !== undefined && open.path !== path) continue;
    clearTimeout(timer);
    idle.delete(open);
    close(open);
  }
}

function close({ connection, hasWritten }: Open): void {
  if (hasWritten) closeDatabase(connection);
  else connection.close();
}
