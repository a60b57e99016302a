// When each run was last written to, in one file for all runs, so that a list of thousands looks at their journals' times
// only and opens none. A line counts for the very journal that it was noted of; the file can be removed at any time.

import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "../lib/atomic-file.ts";
import { fileSystemOf } from "../lib/file-system.ts";
import { isSame, type KeptRun, restingState } from "./summary-cache.ts";

type Place = readonly [at: number, ino: number, size: number, mtimeMs: number, ctimeMs: number];

export interface RunPlaces {
  /** Undefined when it is not known, or the journal has changed since. */
  find(run: string): number | undefined;
  note(run: string, kept: Pick<KeptRun, "at" | "journal">): void;
  /** Keeps what was noted. Losing it costs time only. */
  save(): void;
}

export function readRunPlaces(sessionsDir: string): RunPlaces {
  const path = join(sessionsDir, ".places.jsonl");
  // Another machine's writes may show late there.
  const isUsable = fileSystemOf(sessionsDir).place !== "remote";
  const known = isUsable ? readKnown(path) : new Map<string, Place>();
  const noted: string[] = [];
  return {
    find(run) {
      const place = known.get(run);
      const journal = place && restingState(join(sessionsDir, run, "journal.sqlite"));
      if (place === undefined || journal === undefined) return undefined;
      const [at, ino, size, mtimeMs, ctimeMs] = place;
      return isSame(journal, { ino, size, mtimeMs, ctimeMs }) ? at : undefined;
    },
    note(run, { at, journal: { ino, size, mtimeMs, ctimeMs } }) {
      noted.push(JSON.stringify([run, at, ino, size, mtimeMs, ctimeMs]));
    },
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

function readKnown(path: string): Map<string, Place> {
  const known = new Map<string, Place>();
  for (const line of readText(path).split("\n")) {
    const [run, ...place] = parseLine(line);
    const isPlace = place.length === 5 && place.every((value) => typeof value === "number");
    if (typeof run === "string" && isPlace) known.set(run, place as [number, number, number, number, number]);
  }
  return known;
}

function parseLine(line: string): readonly unknown[] {
  if (line === "") return [];
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? (value as unknown[]) : [];
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return "";
  }
}
