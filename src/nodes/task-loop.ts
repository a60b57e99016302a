// Runs the tasks in a tasks.json, one after the other: for each, the author's nodes, with the task in
// `state.currentTask`. Failed tasks are not complete tasks: the loop says so. The file is the list; it is written after
// each task, and each task's nodes are recorded separately inside this visit.

import { AtomicError } from "../lib/errors.ts";
import type { NodeDefinition } from "../workflows/graph/model/node.ts";
import { withOptionalId } from "../workflows/graph/nodes/node-id.ts";
import { loopBody, loopNode } from "./loop-body.ts";
import type { TaskLoopConfig, TaskLoopState } from "./task-loop-config.ts";

export function taskLoopNode<S extends TaskLoopState>(config: TaskLoopConfig<S>): NodeDefinition<S>;
export function taskLoopNode<S extends TaskLoopState>(
  id: string,
  options: Omit<TaskLoopConfig<S>, "id">,
): NodeDefinition<S>;
export function taskLoopNode<S extends TaskLoopState>(
  first: TaskLoopConfig<S> | string,
  options?: Omit<TaskLoopConfig<S>, "id">,
): NodeDefinition<S> {
  const config = withOptionalId<TaskLoopConfig<S>>("taskLoopNode", first, options);
  const { id = "task-loop", preIterationNode } = config;
  const body = loopBody("taskLoopNode", id, config, preIterationNode === undefined ? [] : [preIterationNode]);
  return loopNode(config, body, async (context) => {
    if (taskFiles === undefined) {
      throw new AtomicError(
        "RUNTIME_MISSING",
        `taskLoopNode "${id}" keeps its tasks in a file, and this build of atomic/workflows/graph has no files: it is the one for browsers and edge runtimes. Run it on Bun, Node or Deno, or bundle it with the condition "node".`,
      );
    }
    return (await taskFiles()).workTasks(config, body, context);
  });
}

let taskFiles: (() => Promise<typeof import("./work-tasks.ts")>) | undefined;

/** Called by entries for runtimes that have files. The engine itself has none. */
export function provideTaskFiles(load: () => Promise<typeof import("./work-tasks.ts")>): void {
  taskFiles = load;
}
