// Checks decide whether work is done, not what the agent says. One check is one shell command of the user, run as it
// is, with no terminal and nothing to read from.

import { join } from "node:path";
import { clip } from "../../agents/clip.ts";
import { createProcessRegistry } from "../../agents/process/process-registry.ts";
import { runShell } from "../../agents/process/run-shell.ts";
import { childEnvironment } from "../../agents/process/child-environment.ts";
import type { ProgramSandbox } from "../../agents/process/sandbox/program-sandbox.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ReportedEvent } from "../../events/reported-events.ts";
import { type TreeName, treeHash } from "./tree-hash.ts";

/** A type and not an interface: it goes into the record as JSON. */
export type Check = {
  readonly command: string;
  /** Null when it was ended by a signal or the time limit. */
  readonly exitCode: number | null;
  /** What ended it, if it has no exit code: `SIGKILL`, or the time limit. */
  readonly endedBy?: string;
  /** The end of what it printed. */
  readonly output: string;
  /** What the folder held when it began. */
  readonly tree: TreeName;
  /** What it held in the end: something else when a worker, or the check itself, wrote meanwhile. */
  readonly treeAfter: TreeName;
};

export interface CheckPlace {
  readonly cwd: string;
  readonly sessionDir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Absent: nothing holds the command back. */
  readonly sandbox?: ProgramSandbox | undefined;
  /** What names the state of the folder; absent: treeHash. */
  readonly nameTree?: (() => Promise<TreeName>) | undefined;
  /** Called when a command starts, and when it ends, in whatever way. */
  readonly onRunning?: ((command: string, isRunning: boolean) => void) | undefined;
}

const maxTimerMs = 30 * 60_000;
const timeLimit = "the time limit of 30 minutes";
const keptChars = 8_000;

export function hasPassed(check: Pick<Check, "exitCode">): boolean {
  return check.exitCode === 0;
}

/** `exits with 1`, `was ended by SIGKILL`: after the command, in a sentence. */
export function howItEnded({ exitCode, endedBy }: Pick<Check, "exitCode" | "endedBy">): string {
  return exitCode === null ? `was ended by ${endedBy ?? "a signal"}` : `exits with ${exitCode}`;
}

/** `task`: the task that it was for, null for the whole run. */
export function verified(check: Check, task: string | null): ReportedEvent {
  const { command, exitCode, endedBy, tree } = check;
  return { type: "verify.finished", command, exitCode, ...(endedBy === undefined ? {} : { endedBy }), task, tree };
}

/** Runs the commands one after the other, and stops at the first that fails. */
export async function runChecks(commands: readonly string[], place: CheckPlace): Promise<Check[]> {
  const checks: Check[] = [];
  let tree: TreeName | undefined;
  for (const command of commands) {
    const check = await runCheck(command, place, tree);
    checks.push(check);
    if (!hasPassed(check)) break;
    tree = check.treeAfter;
  }
  return checks;
}

/** `tree`: what the folder holds, where the caller knows it. Rejects when the place's signal aborts. */
export async function runCheck(command: string, place: CheckPlace, tree?: TreeName): Promise<Check> {
  const { cwd, sessionDir, clock, signal, nameTree = () => treeHash(cwd), onRunning } = place;
  const before = tree === undefined ? await nameTree() : tree;
  const tooLong = new AbortController();
  const timer = new AbortController();
  clock.sleep(maxTimerMs, timer.signal).then(
    () => tooLong.abort(new Error(timeLimit)),
    () => undefined,
  );
  onRunning?.(command, true);
  try {
    const { exitCode, endedBy, output } = await runShell({
      command,
      cwd,
      env: childEnvironment({ user: process.env }),
      registry: createProcessRegistry(join(sessionDir, "processes")),
      sandbox: place.sandbox,
      clock,
      signal: AbortSignal.any([signal, tooLong.signal]),
      onOutput: () => undefined,
    });
    signal.throwIfAborted();
    const kept = { command, output: clip(output, keptChars), tree: before, treeAfter: await nameTree() };
    if (exitCode !== undefined && !tooLong.signal.aborted) return { ...kept, exitCode };
    return { ...kept, exitCode: null, endedBy: tooLong.signal.aborted ? timeLimit : (endedBy ?? "a signal") };
  } finally {
    onRunning?.(command, false);
    timer.abort(new Error("done"));
  }
}
