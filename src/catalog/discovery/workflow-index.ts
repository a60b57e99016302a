// A cache of the descriptions of workflow files in Atomic's home: a listing, or a shell that completes a name, reads
// only the files that have changed. An entry is valid only for the exact file it was read from, and the cache can be
// removed at any time.
//
// Invariants: written only when there are many files. A file is cached once it has not changed for a second, so that
// any later write shows in its times. Refused files are not cached: they are read, and reported, every time.

import { mkdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join, parse as parsePath } from "node:path";
import { isSystemError, systemCode, writeFileUnsynced } from "../../lib/atomic-file.ts";
import { isRecord } from "../../lib/is-record.ts";
import { version } from "../../lib/version.ts";
import type { Described, WorkflowInfo } from "../modules/workflow-file.ts";

type Description = Described<WorkflowInfo> | undefined;

export interface WorkflowIndex {
  /** The cached description if the file has not changed, otherwise what `read` returns. */
  describe(path: string, realPath: string, read: () => Description): Description;
  /** Writes the cache, if many files were read. */
  save(): void;
}

interface Kept {
  /** `ino size mtime ctime` of the file. */
  readonly state: string;
  /** The name of the file, or of the link to it: the default name of a workflow. */
  readonly name: string;
  /** Null for a helper of other files. */
  readonly described: Described<WorkflowInfo> | null;
}

/** Reading fewer files is faster than writing the cache. */
const minFilesRead = 20;
const maxFilesKept = 2000;
const minAgeMs = 1000;

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
      const isSettled = found !== undefined && now() - Math.max(found.mtimeMs, found.ctimeMs) >= minAgeMs;
      // Set again at the end: the newest entries are last.
      known.delete(realPath);
      if (state !== undefined && isSettled) known.set(realPath, { state, name, described: described ?? null });
      return described;
    },
    save() {
      if (known === undefined || read < minFilesRead) return;
      read = 0;
      const files = Object.fromEntries([...known].slice(-maxFilesKept));
      try {
        mkdirSync(atomicHome, { recursive: true, mode: 0o700 });
        writeFileUnsynced(path, JSON.stringify({ version, files }));
      } catch (thrown) {
        // A home that can't be written has no cache.
        if (!isSystemError(thrown)) throw thrown;
      }
    },
  };
}

/** The cache of another version, or one that a power cut damaged, counts as empty. */
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
