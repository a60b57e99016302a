// What workflow files said about themselves when they were last read, kept in Atomic's home: a listing, or a shell that
// completes a name, then reads only the files that have changed. The files are the truth: what is kept counts only for
// the very file it was read from, and can be removed at any time.
//
// Invariants: kept only where there are many files, and of a file that was not written for a second, so that any later
// write shows in its times. What is refused is not kept: it is read again, and reported again.

import { mkdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join, parse as parsePath } from "node:path";
import { isSystemError, systemCode, writeFileForNow } from "../../lib/atomic-file.ts";
import { isRecord } from "../../lib/is-record.ts";
import { version } from "../../lib/version.ts";
import type { Described, WorkflowInfo } from "../modules/workflow-file.ts";

type Description = Described<WorkflowInfo> | undefined;

export interface WorkflowIndex {
  /** What is known of the file as it is now, or what `read` gives. */
  describe(path: string, realPath: string, read: () => Description): Description;
  /** Keeps what was read, if it was much. */
  save(): void;
}

interface Kept {
  /** `ino size mtime ctime` of the file. */
  readonly state: string;
  /** The name of the file, or of the link to it: a workflow without a name is called so. */
  readonly name: string;
  /** Null for a helper of other files. */
  readonly described: Described<WorkflowInfo> | null;
}

/** Fewer are read faster than an index is written. */
const minRead = 20;
const maxKept = 2000;
const quietMs = 1000;

export function openWorkflowIndex(atomicHome: string, now: () => number = Date.now): WorkflowIndex {
  const path = join(atomicHome, "workflow-index.json");
  let known: Map<string, Kept> | undefined;
  let read = 0;

  return {
    describe(file, realPath, describe) {
      known ??= readIndex(path);
      const found = statOf(realPath);
      const state = found === undefined ? undefined : stateOf(found);
      const { name } = parsePath(file);
      const kept = known.get(realPath);
      if (kept !== undefined && kept.state === state && kept.name === name) return kept.described ?? undefined;
      const described = describe();
      read++;
      const isQuiet = found !== undefined && now() - Math.max(found.mtimeMs, found.ctimeMs) >= quietMs;
      // The newest are the last.
      known.delete(realPath);
      if (state !== undefined && isQuiet) known.set(realPath, { state, name, described: described ?? null });
      return described;
    },
    save() {
      if (known === undefined || read < minRead) return;
      read = 0;
      const files = Object.fromEntries([...known].slice(-maxKept));
      try {
        mkdirSync(atomicHome, { recursive: true, mode: 0o700 });
        writeFileForNow(path, JSON.stringify({ version, files }));
      } catch (thrown) {
        // A home that can't be written keeps nothing.
        if (!isSystemError(thrown)) throw thrown;
      }
    },
  };
}

/** What another version kept, or what a power cut left of it, counts as nothing. */
function readIndex(path: string): Map<string, Kept> {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isRecord(kept) || kept["version"] !== version || !isRecord(kept["files"])) return new Map();
    return new Map(Object.entries(kept["files"] as Record<string, Kept>));
  } catch (thrown) {
    if (thrown instanceof SyntaxError || isSystemError(thrown)) return new Map();
    throw thrown;
  }
}

function stateOf({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    // Reading it reports the reason.
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
