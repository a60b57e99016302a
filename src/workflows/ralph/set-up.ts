// Opens the run's repository for nodes that make work trees: a new tree gets the user's own preparation, for example
// `npm ci`.

import { commandNote } from "../sessions/command-note.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { openRepository, type RunRepository } from "../worktrees/run-repository.ts";
import { runSetUp } from "../worktrees/run-set-up.ts";
import { sandboxOf } from "../run-sandbox.ts";
import type { RalphState } from "./state.ts";
import type { OwnTrees } from "./work-places.ts";

export function openForTrees(context: ExecutionContext<RalphState>, { trees }: OwnTrees): Promise<RunRepository> {
  const { setup: command = null, processesDir } = trees;
  if (command === null) return openRepository(trees);
  const { runtime, signal } = context;
  return openRepository(trees, async (folder) => {
    context.progress(...commandNote(command, null, true));
    try {
      await runSetUp({
        ...{ command, folder, processesDir, signal, clock: runtime.clock, sandbox: sandboxOf(runtime) },
        onEnd: (end) => context.record({ type: "worktree.set-up", command, ...end }),
      });
    } finally {
      context.progress(...commandNote(command, null, false));
    }
  });
}
