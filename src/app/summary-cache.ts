// What a list of runs shows of one, kept beside its journal, so that a list opens no database that has not changed. The
// journal is the truth: what is kept counts only for the very file that it was read from, and can be removed at any time.
//
// Invariant: kept only for a journal at rest: no process owns the run, and neither the file nor the log beside it was
// written for a second, so that any later write shows in the times of one of them. A log stays where the owner was
// killed, or still has the file open.

import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { discard, isSystemError, temporaryName } from "../lib/atomic-file.ts";
import { fileSystemOf } from "../lib/file-system.ts";
import { isRecord } from "../lib/is-record.ts";
import { version } from "../lib/version.ts";
import type { SessionFolder } from "../workflows/sessions/session-folder.ts";
import { isRunSummary, type RunSummary } from "./run-summary.ts";

/** What was written a moment ago may change unseen: times of files are not exact. */
export const quietMs = 1000;

export interface KnownRun {
  /** When it was last written to. */
  readonly at: number;
  /** Undefined when only its place in the list was needed. */
  readonly summary?: RunSummary | undefined;
}

/** What is kept, for the journal as it was then. */
export interface KeptRun extends KnownRun {
  readonly journal: JournalState;
}

export interface JournalState {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** The log of writes beside the file, where it holds any. SQLite may set its owner when it opens it: no `ctimeMs`. */
  readonly log?: Readonly<Record<"ino" | "size" | "mtimeMs", number>> | undefined;
}

interface Kept extends KnownRun {
  readonly version: string;
  readonly journal: JournalState;
}

export interface SummaryCache {
  /** What is known about the journal as it is now. */
  find(folder: SessionFolder): KeptRun | undefined;
  /** Keeps what `read` found out, if that is final as long as the journal stays as it is, and it did meanwhile. */
  keep<T extends KnownRun>(
    folder: SessionFolder,
    read: () => Promise<{ readonly known: T; readonly isFinal: boolean }>,
  ): Promise<T>;
}

export function createSummaryCache(sessionsDir: string, now: () => number): SummaryCache {
  // Another machine's writes may show late there.
  const isUsable = fileSystemOf(sessionsDir).place !== "remote";
  return {
    find(folder) {
      if (!isUsable) return undefined;
      const kept = readKept(folder);
      const journal = kept === undefined ? undefined : restingState(folder.journal);
      if (kept === undefined || journal === undefined || !isSame(kept.journal, journal)) return undefined;
      // The folder may have been moved.
      const summary = kept.summary === undefined ? undefined : { ...kept.summary, sessionDir: folder.dir };
      return { at: kept.at, summary, journal };
    },
    async keep(folder, read) {
      const before = isUsable ? restingState(folder.journal) : undefined;
      const { known, isFinal } = await read();
      const after = before === undefined || !isFinal ? undefined : restingState(folder.journal);
      if (before === undefined || after === undefined || !isSame(before, after)) return known;
      if (now() - Math.max(after.mtimeMs, after.ctimeMs, after.log?.mtimeMs ?? 0) >= quietMs)
        writeKept(folder, { version, journal: after, at: known.at, summary: known.summary });
      return known;
    },
  };
}

/** Undefined where a write may have to be undone first. */
export function restingState(path: string): JournalState | undefined {
  const stateOf = (suffix: string) => statSync(path + suffix, { throwIfNoEntry: false });
  if ((stateOf("-journal")?.size ?? 0) > 0) return undefined;
  const log = stateOf("-wal");
  const file = stateOf("");
  if (file === undefined) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = file;
  if (log === undefined || log.size === 0) return { ino, size, mtimeMs, ctimeMs };
  return { ino, size, mtimeMs, ctimeMs, log: { ino: log.ino, size: log.size, mtimeMs: log.mtimeMs } };
}

export function isSame(a: JournalState, b: JournalState): boolean {
  const isSameFile = a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
  return isSameFile && a.log?.ino === b.log?.ino && a.log?.size === b.log?.size && a.log?.mtimeMs === b.log?.mtimeMs;
}

/** What another version or another program kept, or what a power cut left of it, counts as nothing. */
function readKept(folder: SessionFolder): Kept | undefined {
  try {
    const kept = JSON.parse(readFileSync(folder.summary, "utf8")) as Partial<Kept> | null;
    const isWhole = kept?.version === version && isRecord(kept.journal) && typeof kept.at === "number";
    if (!isWhole) return undefined;
    const isOwn = kept.summary === undefined || (isRunSummary(kept.summary) && kept.summary.id === folder.id);
    return isOwn ? (kept as Kept) : undefined;
  } catch (thrown) {
    if (thrown instanceof SyntaxError || isSystemError(thrown)) return undefined;
    throw thrown;
  }
}

/** Losing it costs time only, so nothing is synced; a folder that can't be written keeps nothing. */
function writeKept(folder: SessionFolder, kept: Kept): void {
  const temporary = temporaryName(folder.dir);
  try {
    writeFileSync(temporary, JSON.stringify(kept), { mode: 0o600, flag: "wx" });
    renameSync(temporary, folder.summary);
  } catch (thrown) {
    discard(temporary);
    if (!isSystemError(thrown)) throw thrown;
  }
}
