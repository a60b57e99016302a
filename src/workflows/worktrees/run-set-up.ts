// The user's own preparation of a new work tree: one command, run where its files are.

import { clip } from "../../agents/clip.ts";
import { childEnvironment } from "../../agents/process/child-environment.ts";
import { createProcessRegistry } from "../../agents/process/process-registry.ts";
import type { ProgramSandbox } from "../../agents/process/sandbox/program-sandbox.ts";
import { runShell } from "../../agents/process/run-shell.ts";
import type { Clock } from "../../lib/clock.ts";
import { treeError } from "./run-repository.ts";

export interface SetUpCall {
  readonly command: string;
  readonly folder: string;
  readonly processesDir: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Absent: nothing holds the command back. */
  readonly sandbox?: ProgramSandbox | undefined;
  /** Also called for one that failed. */
  readonly onEnd?: ((end: { readonly exitCode: number | null; readonly output: string }) => void) | undefined;
}

const keptChars = 4000;

/** Throws WORKTREE_FAILED when it fails, and the signal's reason when that aborts. */
export async function runSetUp(call: SetUpCall): Promise<void> {
  const { command, folder, processesDir, clock, signal, sandbox, onEnd } = call;
  const { exitCode, output } = await runShell({
    command,
    cwd: folder,
    env: childEnvironment({ user: process.env }),
    registry: createProcessRegistry(processesDir),
    sandbox,
    clock,
    signal,
    onOutput: () => undefined,
  });
  signal.throwIfAborted();
  const printed = clip(output, keptChars);
  onEnd?.({ exitCode: exitCode ?? null, output: printed });
  if (exitCode === 0) return;
  const how = exitCode === undefined ? "was ended by a signal" : `exits with ${exitCode}`;
  throw treeError(`worktrees.setup failed: \`${command}\` ${how}. It printed:\n${printed.trim()}`);
}
