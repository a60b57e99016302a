// Opens the run's repository for nodes that make work trees: a new tree gets the user's own preparation, `npm ci` say.

import { clip } from "../../agents/clip.ts";
import { childEnvironment } from "../../agents/process/child-environment.ts";
import { createProcessRegistry } from "../../agents/process/process-registry.ts";
import { runShell } from "../../agents/process/run-shell.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { openRepository, type RunRepository, treeError } from "../worktrees/run-repository.ts";
import type { RalphState } from "./state.ts";
import type { OwnTrees } from "./work-places.ts";

const keptChars = 4000;

export function openForTrees(context: ExecutionContext<RalphState>, { trees }: OwnTrees): Promise<RunRepository> {
  const { setup = null } = trees;
  return openRepository(
    trees,
    setup === null ? undefined : (folder) => setUp(context, trees.processesDir, setup, folder),
  );
}

async function setUp(
  context: ExecutionContext<RalphState>,
  processesDir: string,
  command: string,
  folder: string,
): Promise<void> {
  const { exitCode, output } = await runShell({
    command,
    cwd: folder,
    env: childEnvironment({ user: process.env }),
    registry: createProcessRegistry(processesDir),
    clock: context.runtime.clock,
    signal: context.signal,
    onOutput: () => undefined,
  });
  context.signal.throwIfAborted();
  const printed = clip(output, keptChars);
  context.record({ type: "worktree.set-up", command, exitCode: exitCode ?? null, output: printed });
  if (exitCode !== 0)
    throw treeError(
      `worktrees.setup failed: \`${command}\` exits with ${exitCode ?? "a signal"}. It printed:\n${printed.trim()}`,
    );
}
