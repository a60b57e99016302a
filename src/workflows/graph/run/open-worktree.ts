// `ctx.worktree(name)`: asks the runtime for a folder on behalf of a visit.

import { AtomicError } from "../../../lib/errors.ts";
import type { ExecutionContext } from "../model/node.ts";
import type { Worktree } from "../model/worktree.ts";

type Visit = Pick<ExecutionContext<object>, "node" | "signal" | "step" | "record" | "runtime">;

export async function openWorktree({ node, signal, step, record, runtime }: Visit, name: string): Promise<Worktree> {
  const { worktrees } = runtime;
  if (worktrees !== undefined) return worktrees.open(name, { node, signal, step, record });
  throw new AtomicError(
    "RUNTIME_MISSING",
    `Node "${node}" asks for a work tree, and this run has none to give. Start it with executeWorkflow() or \`atomic run\`.`,
  );
}
