// Works a tasks.json off, one task after the other: for each, the author's nodes, with the task in
// `state.currentTask`. Failed tasks are not complete tasks: the loop says so. The file is the list; it is written after
// each task, and each task's nodes have records of their own inside this visit.

import { AtomicError, messageOf } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import type { TaskList } from "../tasks/task-file.ts";
import { areAllCompleted, nextTask } from "../tasks/task-order.ts";
import type { WorkflowTask } from "../tasks/workflow-task.ts";
import type { CompiledGraph } from "../workflows/graph/compiled-graph.ts";
import type { ExecutionContext, NodeDefinition } from "../workflows/graph/node.ts";
import { withOptionalId } from "../workflows/graph/nodes/node-id.ts";
import type { BaseState, StateUpdate } from "../workflows/graph/state.ts";
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
  const until = config.until ?? ((_state: Readonly<S>, tasks: readonly WorkflowTask[]) => areAllCompleted(tasks));
  return loopNode(config, body, async (context) => {
    const path = pathOf(config, context.state);
    let { state } = context;
    // Recorded, so that a resumed run goes through the same tasks in the same order, whatever the file says by then.
    let list = asList(await context.step("tasks", async () => (await load(id, path)) as object as Json));
    for (let iteration = 1; ; iteration++) {
      if (until(state, list.tasks)) return end<S>(state, list, iteration - 1, {});
      if (body.isOver(iteration - 1)) return end<S>(state, list, iteration - 1, { maxIterationsReached: true });
      const task = (config.taskSelector ?? nextTask)(list.tasks);
      if (task === undefined) return end<S>(state, list, iteration - 1, {});
      list = await save(path, withStatus(list, task.id, { status: "in_progress" }), task.id, context);
      const start = { ...state, currentTask: { ...task, status: "in_progress" as const }, iteration };
      const done = await context.step(
        `task ${iteration}`,
        async () => (await runTask(context, body.inner, start, iteration)) as object as Json,
      );
      const { state: after, change } = done as object as TaskDone<S>;
      state = after;
      list = await save(path, withStatus(list, task.id, change), task.id, context);
    }
  });
}

interface TaskDone<S> {
  readonly state: S;
  readonly change: Partial<WorkflowTask>;
}

function asList(recorded: Json): TaskList {
  return recorded as object as TaskList;
}

function pathOf<S extends TaskLoopState>(config: TaskLoopConfig<S>, state: Readonly<S>): string {
  const { tasksPath = "research/tasks.json" } = config;
  return typeof tasksPath === "function" ? tasksPath(state) : tasksPath;
}

async function load(id: string, path: string): Promise<TaskList> {
  // Loaded when it is used: it needs a schema library, and the engine needs no package to be imported.
  const { readTaskFile } = await import("../tasks/task-file.ts");
  const list = readTaskFile(path);
  if (list !== undefined) return list;
  throw new AtomicError(
    "TASKS_MISSING",
    `taskLoopNode "${id}": there is no task list at ${path}. Make one, or set tasksPath.`,
  );
}

async function runTask<S extends TaskLoopState>(
  context: ExecutionContext<S>,
  inner: CompiledGraph<S>,
  state: S,
  iteration: number,
): Promise<TaskDone<S>> {
  try {
    const after = await context.runSubgraph<S>(inner, state, { key: String(iteration) });
    // The nodes may have decided themselves how the task went.
    const own = after.currentTask?.status;
    const status = own === "failed" || own === "completed" ? own : "completed";
    return { state: after, change: { status } };
  } catch (thrown) {
    context.signal.throwIfAborted();
    return { state, change: { status: "failed", error: messageOf(thrown) } };
  }
}

function withStatus(list: TaskList, id: string, change: Partial<WorkflowTask>): TaskList {
  return { ...list, tasks: list.tasks.map((task) => (task.id === id ? { ...task, ...change } : task)) };
}

async function save<S extends TaskLoopState>(
  path: string,
  list: TaskList,
  changed: string,
  context: ExecutionContext<S>,
): Promise<TaskList> {
  const { writeTaskFile } = await import("../tasks/task-file.ts");
  writeTaskFile(path, list, new Date(context.runtime.clock.now()));
  const task = list.tasks.find(({ id }) => id === changed);
  context.emit("task.updated", { task: { ...task } as Json });
  return list;
}

function end<S extends TaskLoopState>(
  state: Readonly<S>,
  list: TaskList,
  iteration: number,
  more: Partial<TaskLoopState>,
) {
  const changed: TaskLoopState = {
    ...state,
    iteration,
    shouldContinue: false,
    allTasksComplete: areAllCompleted(list.tasks),
    ...more,
  };
  return { stateUpdate: changed as object as StateUpdate<S> };
}
