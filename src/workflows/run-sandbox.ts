// The sandbox of a run, for the commands that the run starts itself: checks and the preparation of work trees run what
// agents wrote. Looked up through the run's work trees, which every node has: the engine's runtime has no notion of
// processes.

import type { ProgramSandbox } from "../agents/process/sandbox/program-sandbox.ts";
import type { Runtime } from "./graph/model/runtime.ts";

type Worktrees = NonNullable<Runtime["worktrees"]>;

const sandboxes = new WeakMap<Worktrees, ProgramSandbox>();

export function useSandbox(worktrees: Worktrees, sandbox: ProgramSandbox | undefined): void {
  if (sandbox !== undefined) sandboxes.set(worktrees, sandbox);
}

export function sandboxOf({ worktrees }: Pick<Runtime, "worktrees">): ProgramSandbox | undefined {
  return worktrees === undefined ? undefined : sandboxes.get(worktrees);
}
