// Which runs processes of this machine work on: one small file per run and process, in one folder beside the runs. So a
// start looks at those few, and not at every run that was ever kept. A process removes its files when it ends; those of
// a killed one stay until a start has looked after what it left.
//
// A mark only says where to look: who owns a run is in its journal, and which processes may be ended is in its records.

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSystemError } from "../../lib/atomic-file.ts";
import { currentProcess, livenessOf, parseProcessIdentity, type Liveness } from "../../lib/process-identity.ts";
import { createSessionsDir, isSessionId } from "./session-folder.ts";

export interface WorkingMark {
  readonly run: string;
  /** Of the process that left it. */
  readonly process: Liveness;
  /** Nothing is left to look after. */
  clear(): void;
}

/** Files that this process made, and removes when it ends. */
const ownFiles = new Set<string>();
let isWatchingExit = false;

export class WorkingRuns {
  readonly #dir: string;
  readonly #own = new Set<string>();

  constructor(sessionsDir: string) {
    this.#dir = join(sessionsDir, ".working");
  }

  /** Notes that this process works on the run, from before it owns it until the process ends. */
  add(run: string): void {
    if (this.#own.has(run)) return;
    const file = join(this.#dir, `${run}.${crypto.randomUUID()}`);
    try {
      this.#makeDir();
      writeFileSync(file, JSON.stringify(currentProcess()), { mode: 0o600, flag: "wx" });
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      // The disk can't be written: opening the journal reports that next, with what to do.
      return;
    }
    this.#own.add(run);
    ownFiles.add(file);
    if (isWatchingExit) return;
    isWatchingExit = true;
    process.once("exit", removeOwnFiles);
  }

  /** Runs that a process works on, or worked on when it was killed. */
  list(): readonly WorkingMark[] {
    return this.#names().flatMap((name) => {
      const run = name.slice(0, 36);
      if (!isSessionId(run) || name[36] !== ".") return [];
      const file = join(this.#dir, name);
      return { run, process: livenessIn(file), clear: () => discardFile(file) };
    });
  }

  /** Whether every run that a process works on has a mark: earlier versions left none. */
  get isComplete(): boolean {
    return existsSync(join(this.#dir, "complete"));
  }

  setComplete(): void {
    try {
      this.#makeDir();
      writeFileSync(join(this.#dir, "complete"), "", { mode: 0o600 });
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      // The next start looks at all runs again.
    }
  }

  #makeDir(): void {
    createSessionsDir(dirname(this.#dir));
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#dir);
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      return [];
    }
  }
}

/** A file that was torn by a power cut, or is not a mark, names no process. */
function livenessIn(file: string): Liveness {
  try {
    if (!lstatSync(file).isFile()) return "unknown";
    const identity = parseProcessIdentity(JSON.parse(readFileSync(file, "utf8")));
    return identity === undefined ? "unknown" : livenessOf(identity);
  } catch (thrown) {
    if (thrown instanceof SyntaxError || isSystemError(thrown)) return "unknown";
    throw thrown;
  }
}

function removeOwnFiles(): void {
  for (const file of ownFiles) discardFile(file);
}

function discardFile(file: string): void {
  try {
    unlinkSync(file);
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    // Removed already; or read-only by now, and checked again at the next start.
  }
}
