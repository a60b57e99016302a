// What taskLoopNode takes, and what it keeps in the state.

import type { WorkflowTask } from "../tasks/workflow-task.ts";
import type { NodeDefinition } from "../workflows/graph/model/node.ts";
import type { BaseState } from "../workflows/graph/model/state.ts";
import type { LoopOptions } from "./loop-body.ts";

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
  /** Checked before each task; default: every task is completed. */
  readonly until?: ((state: Readonly<S>, tasks: readonly WorkflowTask[]) => boolean) | undefined;
  /** Which task is next; default: the most urgent that waits for no other. */
  readonly taskSelector?: ((tasks: readonly WorkflowTask[]) => WorkflowTask | undefined) | undefined;
}
