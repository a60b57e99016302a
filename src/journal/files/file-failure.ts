// The errors of the stores that keep runs in folders: damage, a later format, and failures of the file system.

import { systemCode } from "../../lib/atomic-file.ts";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { isOutOfFilesCode, outOfFiles } from "../../lib/open-files.ts";
import { journalFormat } from "../port.ts";

export interface Damage {
  readonly run: string;
  readonly file: string;
  /** What is wrong, as the end of "…/journal-0001.jsonl: ". */
  readonly what: string;
  /** The first event that can't be read, and where in the file it begins. */
  readonly record?: number;
  readonly byte?: number;
}

export function journalCorrupt(damage: Damage): AtomicError {
  const { run, file, what, record, byte } = damage;
  const lastGood =
    record === undefined
      ? ""
      : ` The last good record is ${record - 1}` +
        (byte === undefined ? "." : `; it ends at byte ${byte} of the file.`);
  return new AtomicError(
    "JOURNAL_CORRUPT",
    `Run ${run} is damaged. ${file}: ${what}.${lastGood} Nothing was changed. Restore the file from a ` +
      `backup, or remove the run. Intact records are one JSON line each and can be read by hand.`,
    { details: { run, file, record, byte } },
  );
}

export function journalNewer(run: string, file: string, format: number): AtomicError {
  return new AtomicError(
    "JOURNAL_NEWER",
    `Run ${run} was written by a later version of this program: ${file} has format ${format}, and this version reads ` +
      `up to ${journalFormat}. Update the program; nothing was changed.`,
    { details: { run, file, format, supported: journalFormat } },
  );
}

export interface FileFailureContext {
  readonly run: string;
  readonly place: string;
  readonly doing: "reading" | "writing";
  readonly lastSeq?: number;
}

/** Turns an error of the file system into an AtomicError; returns any other error unchanged. */
export function fileFailure(error: unknown, context: FileFailureContext): unknown {
  const code = systemCode(error);
  if (code === undefined || AtomicError.is(error)) return error;
  const { run, place, lastSeq } = context;
  const details = { run, place, lastSeq, system: code };
  if (context.doing === "reading") {
    if (isOutOfFilesCode(code)) return outOfFiles(place, error);
    const text = `Run ${run} can't be read: ${place}: ${messageOf(error)}. Check the permissions of the folder, and the disk.`;
    return new AtomicError("JOURNAL_UNREADABLE", text, { cause: error, details });
  }
  const kept =
    lastSeq === undefined
      ? "Nothing was stored."
      : `Nothing of this record was stored; the run is kept up to record ${lastSeq} and can be resumed from there.`;
  const text = `Run ${run} can't be written: ${place}: ${advice(code)} (${messageOf(error)}). ${kept}`;
  return new AtomicError("JOURNAL_WRITE_FAILED", text, { cause: error, details });
}

function advice(code: string): string {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "the disk or the quota is full; free some space, then resume";
    case "EFBIG":
      return "the file would be larger than this process may write; raise the limit (`ulimit -f`), then resume";
    case "EMFILE":
    case "ENFILE":
      return "too many files are open; raise the limit (`ulimit -n`), then resume";
    case "EROFS":
    case "EACCES":
    case "EPERM":
      return "the folder is read-only; make it writable, then resume";
    case "ENOENT":
      return "the folder is gone; it was removed while the run used it";
    default:
      return "the file system reports an error";
  }
}
