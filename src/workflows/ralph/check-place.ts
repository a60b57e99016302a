// Where ralph's checks run, and where the running command is reported.

import type { CheckPlace } from "../checks/check.ts";
import type { ExecutionContext } from "../graph/model/node.ts";
import { sandboxOf } from "../run-sandbox.ts";
import { commandNote } from "../sessions/command-note.ts";
import type { RalphState } from "./state.ts";

/** `task`: the task that is checked, null for the whole run. */
export function checkPlace(
  context: ExecutionContext<RalphState>,
  task: string | null,
  folder: Partial<Pick<CheckPlace, "cwd" | "nameTree">> = {},
): CheckPlace {
  const { cwd, sessionDir } = context.state;
  return {
    cwd,
    sessionDir,
    clock: context.runtime.clock,
    signal: context.signal,
    sandbox: sandboxOf(context.runtime),
    onRunning: (command, isRunning) => context.progress(...commandNote(command, task, isRunning)),
    ...folder,
  };
}
