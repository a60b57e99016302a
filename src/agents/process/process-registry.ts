// Which programs this process started, on disk, so that they can be ended when it is killed: at once by
// parent-watch.ts, or by the next start. One file per host process, in one folder: written before a program can do
// anything, removed when all have ended. Every program gets a unique mark in its environment, which its children
// inherit: that is how tools are found that outlive their program.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileUnsynced } from "../../lib/atomic-file.ts";
import { isSystemError } from "../../lib/atomic-file.ts";
import { currentProcess, identityOf } from "../../lib/process-identity.ts";
import { parentWatch, type ParentWatch } from "./parent-watch.ts";
import type { ChildRecord, HostRecord } from "./host-record.ts";

export interface RegisteredChild {
  /** Goes into its environment, under `markName`. */
  readonly mark: string;
  /** The program runs under this pid. */
  started(pid: number): void;
  /** It has ended, and so has all it started. */
  ended(): void;
}

export interface RegisterOptions {
  readonly isLeader?: boolean | undefined;
  /** A temporary folder that goes with it. */
  readonly folder?: string | undefined;
}

export interface ProcessRegistry {
  /** Call it before the program is started. */
  register(name: string, options?: RegisterOptions): RegisteredChild;
}

/** `watch` ends what is on record when this process dies; undefined: only the next start does. */
export function createProcessRegistry(
  dir: string,
  { watch = parentWatch }: { readonly watch?: ParentWatch | null } = {},
): ProcessRegistry {
  const file = join(dir, `${crypto.randomUUID()}.json`);
  const children = new Map<string, ChildRecord>();

  function save(): void {
    if (children.size === 0) return rmSync(file, { force: true });
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const record: HostRecord = { version: 1, host: currentProcess(), children: [...children.values()] };
    // No process outlives a power cut, so nothing has to.
    writeFileUnsynced(file, JSON.stringify(record));
  }

  /**
   * A disk that is full must not end this program in the middle of a call-back. The mark of a program that runs is on
   * record since before its start, and one that has ended matches no process: the reaper looks at what really runs.
   */
  function saveIfPossible(): void {
    try {
      save();
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
    }
  }

  return {
    register(name, { isLeader = true, folder } = {}) {
      const mark = crypto.randomUUID();
      const child: ChildRecord = { mark, name, isLeader, ...(folder !== undefined && { folder }) };
      children.set(mark, child);
      save();
      watch?.add(dir);
      return {
        mark,
        started(pid) {
          const identity = identityOf(pid);
          if (identity === undefined || !children.has(mark)) return;
          children.set(mark, { ...child, identity });
          saveIfPossible();
        },
        ended() {
          if (!children.delete(mark)) return;
          saveIfPossible();
          watch?.remove(dir);
        },
      };
    },
  };
}
