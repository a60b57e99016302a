// When each run was last written to, in one file for all runs, so that a list of thousands looks at times of files only
// and opens no journal. A line counts for the very journal that it was noted of; the file can be removed at any time.
//
// Whoever writes to a journal makes a log beside it first, which shows in the times of the run's folder. So a folder that
// has not changed since it was quiet, with no log in it, holds the journal that was looked at: one look instead of three.

import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "../lib/atomic-file.ts";
import { fileSystemOf } from "../lib/file-system.ts";
import { isSame, type JournalState, type KeptRun, quietMs, restingState } from "./summary-cache.ts";

/** `folderMtimeMs` is 0 where the folder was not quiet yet. */
type Place = readonly [
  at: number,
  ino: number,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  folderIno: number,
  folderMtimeMs: number,
];

export interface RunPlaces {
  /** Undefined when it is not known, or the journal has changed since. */
  find(run: string): number | undefined;
  note(run: string, kept: Pick<KeptRun, "at" | "journal">): void;
  /** Keeps what was noted. Losing it costs time only. */
  save(): void;
}

export function readRunPlaces(sessionsDir: string, now: () => number): RunPlaces {
  const path = join(sessionsDir, ".places.jsonl");
  // Another machine's writes may show late there.
  const isUsable = fileSystemOf(sessionsDir).place !== "remote";
  const known = isUsable ? readKnown(path) : new Map<string, Place>();
  const noted: string[] = [];

  function note(run: string, at: number, { ino, size, mtimeMs, ctimeMs, log }: JournalState): void {
    // It is emptied into the journal sooner or later, and a line has no room for it.
    if (log !== undefined) return;
    const folder = quietFolder(join(sessionsDir, run), now());
    // Without it there is nothing to add to what is known.
    if (folder === undefined && known.has(run)) return;
    const place: Place = [at, ino, size, mtimeMs, ctimeMs, folder?.ino ?? 0, folder?.mtimeMs ?? 0];
    noted.push(JSON.stringify([run, ...place]));
  }

  return {
    find(run) {
      const place = known.get(run);
      if (place === undefined) return undefined;
      const [at, ino, size, mtimeMs, ctimeMs, folderIno, folderMtimeMs] = place;
      const folder = folderMtimeMs === 0 ? undefined : statSync(`${sessionsDir}/${run}`, { throwIfNoEntry: false });
      if (folder?.mtimeMs === folderMtimeMs && folder.ino === folderIno) return at;
      const journal = restingState(join(sessionsDir, run, "journal.sqlite"));
      if (journal !== undefined && isSame(journal, { ino, size, mtimeMs, ctimeMs })) {
        note(run, at, journal);
        return at;
      }
      known.delete(run);
      return undefined;
    },
    note: (run, { at, journal }) => note(run, at, journal),
    save() {
      if (noted.length === 0 || !isUsable) return;
      try {
        // After a new line, so that a line that was torn spoils no other.
        appendFileSync(path, `\n${noted.join("\n")}\n`, { mode: 0o600 });
      } catch (thrown) {
        if (!isSystemError(thrown)) throw thrown;
      }
    },
  };
}

/** Undefined while a change of it might not show in its time, or a log is there to be written to. */
function quietFolder(folder: string, now: number): { readonly ino: number; readonly mtimeMs: number } | undefined {
  const found = statSync(folder, { throwIfNoEntry: false });
  const hasLog = ["-wal", "-journal"].some((log) => existsSync(join(folder, `journal.sqlite${log}`)));
  return hasLog || found === undefined || Math.abs(now - found.mtimeMs) < quietMs ? undefined : found;
}

function readKnown(path: string): Map<string, Place> {
  const known = new Map<string, Place>();
  for (const line of parseLines(readText(path).split("\n").filter(Boolean))) {
    if (!isList(line)) continue;
    const [run, ...place] = line;
    if (typeof run === "string" && isPlace(place)) known.set(run, place);
  }
  return known;
}

function isPlace(values: readonly unknown[]): values is Place {
  return values.length === 7 && values.every((value) => typeof value === "number");
}

/** All at once where they are whole, which takes a third of the time; one by one where one is torn. */
function parseLines(lines: readonly string[]): readonly unknown[] {
  const all = parse(`[${lines.join(",")}]`);
  return isList(all) ? all : lines.map(parse);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return undefined;
  }
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return "";
  }
}
