// Works a tasks.json off, one task after the other: for each, the author's nodes, with the task in
// `state.currentTask`. Failed tasks are not complete tasks: the loop says so. The file is the list; it is written after
// each task, and each task's nodes have records of their own inside this visit.

import type { WorkflowTask } from "../tasks/workflow-task.ts";
import type { NodeDefinition } from "../workflows/graph/node.ts";
import { withOptionalId } from "../workflows/graph/nodes/node-id.ts";
import type { BaseState } from "../workflows/graph/state.ts";
import { loopBody, loopNode, type LoopOptions } from "./loop-body.ts";

export interface TaskLoopState extends BaseState {
  currentTask?: WorkflowTask;
  iteration?: number;
  shouldContinue?: boolean;
  allTasksComplete?: boolean;
  maxIterationsReached?: boolean;
}

export interface TaskLoopConfig<S extends TaskLoopState> extends LoopOptions<S> {
  /** Default `task-loop`. */
  readonly id?: string | undefined;
  /** Default `research/tasks.json`. */
  readonly tasksPath?: string | ((state: Readonly<S>) => string) | undefined;
  /** Run for each task, in order. One that throws fails the task. */
  readonly taskNodes: LoopOptions<S>["taskNodes"];
  /** Runs before the nodes of each task. */
  readonly preIterationNode?: NodeDefinition<S> | undefined;
  /** Looked at before each task; default: every task is completed. */
  readonly until?: ((state: Readonly<S>, tasks: readonly WorkflowTask[]) => boolean) | undefined;
  /** Which task is next; default: the most urgent that waits for no other. */
  readonly taskSelector?: ((tasks: readonly WorkflowTask[]) => WorkflowTask | undefined) | undefined;
}

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
  // Loaded when it first runs: it brings a schema library, and most programs that import the engine only build graphs.
  return loopNode(config, body, async (context) => (await import("./work-tasks.ts")).workTasks(config, body, context));
}
