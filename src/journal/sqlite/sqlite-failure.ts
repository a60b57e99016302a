// Turns a failure of SQLite into an AtomicError by its result code, which the two libraries name differently.

import { AtomicError, messageOf } from "../../lib/errors.ts";
import { isOutOfFiles, outOfFiles } from "../../lib/open-files.ts";
import { isReadOnlyFolder } from "./read-only.ts";

// Primary result codes of SQLite that a caller can do something about.
const busy = new Set([5, 6]); // BUSY, LOCKED
const damaged = new Set([11, 26]); // CORRUPT, NOTADB
const shortRead = 522; // IOERR_SHORT_READ: the file ends before the page does

export interface SqliteFailureContext {
  readonly path: string;
  readonly doing: "reading" | "writing";
  /** "run 8b1f…", when it is about one. */
  readonly run?: string;
  /** The last record that is certainly stored, when known. */
  readonly lastSeq?: number;
}

/** Runs `body`, and throws failures of SQLite and of the file system as AtomicErrors. */
export function withFailures<T>(context: SqliteFailureContext, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw translateSqliteFailure(error, context);
  }
}

export function translateSqliteFailure(error: unknown, context: SqliteFailureContext): unknown {
  const code = resultCode(error);
  if (code === undefined || AtomicError.is(error)) return error;
  const primary = code & 0xff;
  if (damaged.has(primary) || code === shortRead) {
    return corruptDatabase(context.path, messageOf(error), error);
  }
  if (busy.has(primary)) {
    const text = `The database ${context.path} was locked by another process for too long. Try again; if that does not help, look for a program that keeps it open.`;
    return failed(context, text, error, true);
  }
  // SQLite gives one answer for every file that it can't open: a database, its -wal and its -shm file.
  if (primary === 14 && isOutOfFiles(context.path, 3)) {
    const refusal = outOfFiles(context.path, error);
    return context.doing === "reading" ? refusal : failed(context, refusal.message, error, true);
  }
  const isReadOnly = primary === 14 && context.doing === "writing" && isReadOnlyFolder(context.path);
  return failed(context, reason(isReadOnly ? 8 : primary, context.path, messageOf(error)), error, false);
}

export function corruptDatabase(path: string, what: string, cause?: unknown): AtomicError {
  return new AtomicError(
    "JOURNAL_CORRUPT",
    `The database ${path} can't be read: ${what}. Nothing was changed. Restore the file from a backup, or save what ` +
      `is left with \`sqlite3 ${path} .recover\`; to start afresh, move it away together with its -wal and -shm files.`,
    { cause, details: { path } },
  );
}

export function isSqliteError(error: unknown): boolean {
  return resultCode(error) !== undefined;
}

/** True for a failure after which it is unknown whether the write took place. */
export function isUncertain(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && (code & 0xff) === 10; // IOERR
}

/** True when SQLite could not open or create one of its files. */
export function isOpenFailure(error: unknown): boolean {
  const primary = (resultCode(error) ?? 0) & 0xff;
  return primary === 14 || primary === 8; // CANTOPEN, READONLY
}

function failed(context: SqliteFailureContext, text: string, cause: unknown, retryable: boolean): AtomicError {
  const details = { path: context.path, run: context.run, lastSeq: context.lastSeq };
  if (context.doing === "reading") return new AtomicError("JOURNAL_UNREADABLE", text, { cause, retryable, details });
  const kept =
    context.lastSeq === undefined
      ? "Nothing was stored."
      : `Nothing of this record was stored; run ${context.run ?? ""} is kept up to record ${context.lastSeq} and can be resumed from there.`;
  return new AtomicError("JOURNAL_WRITE_FAILED", `${text} ${kept}`, { cause, retryable, details });
}

function reason(primary: number, path: string, text: string): string {
  switch (primary) {
    case 13:
      return `The disk that holds ${path} is full (${text}). Free some space and try again.`;
    case 8:
      return `The database ${path} can't be written: it, its folder or its disk is read-only (${text}). Make it writable.`;
    case 14:
      return `The database ${path} can't be opened (${text}). Check that the folder exists and that you may write to it.`;
    case 10:
      return `The disk that holds ${path} reports an error (${text}). Check its free space, quota and health.`;
    default:
      return `The database ${path} refuses (${text}).`;
  }
}

/** The (extended) result code; bun:sqlite calls it errno, node:sqlite errcode. */
function resultCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode;
  if (
    "errno" in error &&
    typeof error.errno === "number" &&
    "code" in error &&
    String(error.code).startsWith("SQLITE")
  ) {
    return error.errno;
  }
  return undefined;
}
