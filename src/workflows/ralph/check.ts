// Checks decide whether work is done, not the agent's word. One check is one command of the user's, run as it is.

import { join } from "node:path";
import { clip } from "../../agents/clip.ts";
import { createProcessRegistry } from "../../agents/process/process-registry.ts";
import { runShell } from "../../agents/process/run-shell.ts";
import { childEnvironment } from "../../agents/process/child-environment.ts";
import type { Clock } from "../../lib/clock.ts";
import { type TreeName, treeHash } from "./tree-hash.ts";

/** A type and not an interface: it goes into the record as JSON. */
export type Check = {
  readonly command: string;
  /** Null when it was ended by a signal or the time limit. */
  readonly exitCode: number | null;
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
}

const longestMs = 30 * 60_000;
const keptChars = 8_000;

export function hasPassed(check: Check): boolean {
  return check.exitCode === 0;
}

/** Runs the commands one after the other, and stops at the first that fails. */
export async function runChecks(commands: readonly string[], place: CheckPlace): Promise<Check[]> {
  const checks: Check[] = [];
  if (commands.length === 0) return checks;
  let tree = await treeHash(place.cwd);
  for (const command of commands) {
    const check = await runCheck(command, tree, place);
    checks.push(check);
    if (!hasPassed(check)) break;
    tree = check.treeAfter;
  }
  return checks;
}

async function runCheck(command: string, tree: TreeName, place: CheckPlace): Promise<Check> {
  const { cwd, sessionDir, clock, signal } = place;
  const tooLong = new AbortController();
  const timer = new AbortController();
  clock.sleep(longestMs, timer.signal).then(
    () => tooLong.abort(new Error("the check took too long")),
    () => undefined,
  );
  try {
    const { exitCode, output } = await runShell({
      command,
      cwd,
      env: childEnvironment({ user: process.env }),
      registry: createProcessRegistry(join(sessionDir, "processes")),
      clock,
      signal: AbortSignal.any([signal, tooLong.signal]),
      onOutput: () => undefined,
    });
    signal.throwIfAborted();
    const treeAfter = await treeHash(cwd);
    return { command, exitCode: exitCode ?? null, output: clip(output, keptChars), tree, treeAfter };
  } finally {
    timer.abort(new Error("done"));
  }
}
