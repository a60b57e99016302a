// Which of SQLite's two journals a database uses. The write-ahead log is quicker and lets readers and a writer work at
// the same time, but it shares memory between processes through a file: on network drives and through FUSE that can't be
// relied on. There, and where SQLite itself refuses, the rollback journal is used.

import { fileSystemOf } from "../../lib/file-system.ts";
import type { Connection } from "./sqlite-library.ts";

export type JournalMode = "wal" | "rollback";

/** The mode for a new database in this folder, as far as the file system reveals it. */
export function journalModeIn(folder: string): JournalMode {
  return fileSystemOf(folder).place === "remote" ? "rollback" : "wal";
}

/** Returns the mode that SQLite chose, which may not be the one that was requested. */
export function setJournalMode(connection: Connection, mode: JournalMode): JournalMode {
  const asked = mode === "wal" ? "wal" : "delete";
  const answer = connection.prepare(`PRAGMA journal_mode = ${asked}`).get()?.["journal_mode"];
  return answer === "wal" ? "wal" : "rollback";
}
