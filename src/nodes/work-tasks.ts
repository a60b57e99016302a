// What taskLoopNode does when it runs: takes one task after the other from the file, and gives each to the author's
// nodes.

import { AtomicError, messageOf } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import { readTaskFile, type TaskList, writeTaskFile } from "../tasks/task-file.ts";
import { areAllCompleted, nextTask } from "../tasks/task-order.ts";
import type { WorkflowTask } from "../tasks/workflow-task.ts";
import type { CompiledGraph } from "../workflows/graph/compile/compiled-graph.ts";
import type { ExecutionContext, NodeResult } from "../workflows/graph/model/node.ts";
import type { StateUpdate } from "../workflows/graph/model/state.ts";
import type { LoopBody } from "./loop-body.ts";
import type { TaskLoopConfig, TaskLoopState } from "./task-loop-config.ts";

export async function workTasks<S extends TaskLoopState>(
  config: TaskLoopConfig<S>,
  body: LoopBody<S>,
  context: ExecutionContext<S>,
): Promise<NodeResult<S>> {
  const until = config.until ?? ((_state: Readonly<S>, tasks: readonly WorkflowTask[]) => areAllCompleted(tasks));
  const path = pathOf(config, context.state);
  let { state } = context;
  // Recorded, so that a resumed run goes through the same tasks in the same order, whatever the file says by then.
  let list = asList(await context.step("tasks", () => load(body.id, path) as object as Json));
  for (let iteration = 1; ; iteration++) {
    if (until(state, list.tasks)) return end<S>(state, list, iteration - 1, {});
    if (body.isOver(iteration - 1, context.runtime))
      return end<S>(state, list, iteration - 1, { maxIterationsReached: true });
    const task = (config.taskSelector ?? nextTask)(list.tasks);
    if (task === undefined) return end<S>(state, list, iteration - 1, {});
    list = save(path, withStatus(list, task.id, { status: "in_progress" }), task.id, context);
    const start = { ...state, currentTask: { ...task, status: "in_progress" as const }, iteration };
    const done = await context.step(
      `task ${iteration}`,
      async () => (await runTask(context, body.inner, start, iteration)) as object as Json,
    );
    const { state: after, change } = done as object as TaskDone<S>;
    state = after;
    list = save(path, withStatus(list, task.id, change), task.id, context);
  }
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

function load(id: string, path: string): TaskList {
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

function save<S extends TaskLoopState>(
  path: string,
  list: TaskList,
  changed: string,
  context: ExecutionContext<S>,
): TaskList {
  writeTaskFile(path, list, new Date(context.runtime.clock.now()));
  const task = list.tasks.find(({ id }) => id === changed);
  if (task !== undefined) context.record({ type: "task.updated", task });
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
