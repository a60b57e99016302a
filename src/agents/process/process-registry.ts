// Which programs this process started, on disk, so that the next start can end what a killed one left. One file per
// host process, in one folder: written before a program can do anything, removed when all have ended.
// Every program gets a mark of its own in its environment, which what it starts inherits: that is how tools are found
// that outlive their program.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../../lib/atomic-file.ts";
import { currentProcess, identityOf, type ProcessIdentity } from "../../lib/process-identity.ts";

export const markName = "ATOMIC_AGENT_MARK";

export interface ChildRecord {
  readonly mark: string;
  /** What it is, for a person: `opencode serve`. */
  readonly name: string;
  /** Absent until it runs. */
  readonly identity?: ProcessIdentity | undefined;
  /** True when it leads a process group of its own. */
  readonly isLeader: boolean;
}

export interface HostRecord {
  readonly version: 1;
  readonly host: ProcessIdentity;
  readonly children: readonly ChildRecord[];
}

export interface RegisteredChild {
  /** To be put into its environment, under `markName`. */
  readonly mark: string;
  /** The program runs under this pid. */
  started(pid: number): void;
  /** It has ended, and so has all it started. */
  ended(): void;
}

export interface ProcessRegistry {
  /** To be called before the program is started. */
  register(name: string, options?: { readonly isLeader?: boolean }): RegisteredChild;
}

export function createProcessRegistry(folder: string): ProcessRegistry {
  const file = join(folder, `${crypto.randomUUID()}.json`);
  const children = new Map<string, ChildRecord>();

  function save(): void {
    if (children.size === 0) return rmSync(file, { force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const record: HostRecord = { version: 1, host: currentProcess(), children: [...children.values()] };
    writeFileAtomically(file, JSON.stringify(record));
  }

  /**
   * A disk that is full must not end this program in the middle of a call-back. The mark of a program that runs is on
   * record since before its start, and one that has ended is nobody's: whoever reaps looks at what really runs.
   */
  function saveIfPossible(): void {
    try {
      save();
    } catch {
      // Said above.
    }
  }

  return {
    register(name, { isLeader = true } = {}) {
      const mark = crypto.randomUUID();
      children.set(mark, { mark, name, isLeader });
      save();
      return {
        mark,
        started(pid) {
          const identity = identityOf(pid);
          if (identity === undefined || !children.has(mark)) return;
          children.set(mark, { mark, name, isLeader, identity });
          saveIfPossible();
        },
        ended() {
          if (children.delete(mark)) saveIfPossible();
        },
      };
    },
  };
}
