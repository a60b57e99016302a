// Which tasks can start, which never will, and in which order. Pure functions of a list; nothing is changed in place.

import type { WorkflowTask } from "./workflow-task.ts";

/** Tasks that can start now, the most urgent first; equals in the order of the list. */
export function readyTasks(tasks: readonly WorkflowTask[]): readonly WorkflowTask[] {
  const done = new Set(tasks.filter((task) => task.status === "completed").map((task) => task.id));
  const ready = tasks.filter((task) => isOpen(task) && (task.blockedBy ?? []).every((id) => done.has(id)));
  return ready.toSorted((a, b) => urgency(a) - urgency(b) || 0);
}

export function nextTask(tasks: readonly WorkflowTask[]): WorkflowTask | undefined {
  return readyTasks(tasks)[0];
}

/**
 * The list with `blocked` where a task waits, directly or not, for one that failed; and `pending` where it no longer
 * does.
 */
export function withBlocked(tasks: readonly WorkflowTask[]): readonly WorkflowTask[] {
  if (!tasks.some(({ status }) => status === "failed" || status === "blocked")) return tasks;
  const dependants = dependantsOf(tasks);
  const blocked = new Set<string>();
  const waiting = tasks.filter((task) => task.status === "failed").map((task) => task.id);
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    for (const dependant of dependants.get(id) ?? []) {
      if (!isOpen(dependant) || blocked.has(dependant.id)) continue;
      blocked.add(dependant.id);
      waiting.push(dependant.id);
    }
  }
  return tasks.map((task) => {
    const status = blocked.has(task.id) ? "blocked" : task.status === "blocked" ? "pending" : task.status;
    return status === task.status ? task : { ...task, status };
  });
}

export interface TaskCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly blocked: number;
  readonly open: number;
}

export function countTasks(tasks: readonly WorkflowTask[]): TaskCounts {
  const counts = { total: tasks.length, completed: 0, failed: 0, blocked: 0, open: 0 };
  for (const { status } of withBlocked(tasks)) {
    if (status === "completed" || status === "failed" || status === "blocked") counts[status]++;
    else counts.open++;
  }
  return counts;
}

/** True when every task is completed. A list in which only failed tasks are left is not done. */
export function areAllCompleted(tasks: readonly WorkflowTask[]): boolean {
  return tasks.every((task) => task.status === "completed");
}

/** A fault in how tasks refer to each other. */
export interface TaskFault {
  /** `tasks[2].dependencies[0]` */
  readonly path: string;
  readonly problem: string;
}

/** Ids used twice, dependencies on nothing or on itself, and circles. */
export function findTaskFaults(tasks: readonly WorkflowTask[]): readonly TaskFault[] {
  const faults: TaskFault[] = [];
  const places = new Map<string, number>();
  for (const [i, task] of tasks.entries()) {
    const first = places.get(task.id);
    if (first === undefined) places.set(task.id, i);
    else faults.push({ path: `tasks[${i}].id`, problem: `"${task.id}" is already the id of tasks[${first}]` });
  }
  for (const [i, task] of tasks.entries()) {
    for (const [j, id] of (task.blockedBy ?? []).entries()) {
      if (!places.has(id)) {
        faults.push({ path: `tasks[${i}].dependencies[${j}]`, problem: `there is no task with the id "${id}"` });
      }
    }
  }
  const circle = faults.length === 0 ? findCircle(tasks) : undefined;
  if (circle !== undefined)
    faults.push({ path: "tasks", problem: `tasks wait for each other: ${circle.join(" -> ")}` });
  return faults;
}

/** The ids of one cycle, its first id repeated at the end; undefined if there is no cycle. */
export function findCircle(tasks: readonly WorkflowTask[]): readonly string[] | undefined {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const finished = new Set<string>();
  for (const start of tasks) {
    // The path from `start`, each with the place of the dependency to look at next; no recursion, however long it gets.
    const path: { id: string; next: number }[] = finished.has(start.id) ? [] : [{ id: start.id, next: 0 }];
    const onPath = new Set(path.map((step) => step.id));
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const dependency = byId.get(step.id)?.blockedBy?.[step.next++];
      if (dependency === undefined) {
        finished.add(step.id);
        onPath.delete(step.id);
        path.pop();
      } else if (onPath.has(dependency)) {
        const ids = path.map((each) => each.id);
        return [...ids.slice(ids.indexOf(dependency)), dependency];
      } else if (!finished.has(dependency)) {
        path.push({ id: dependency, next: 0 });
        onPath.add(dependency);
      }
    }
  }
  return undefined;
}

function isOpen(task: WorkflowTask): boolean {
  return task.status === "pending" || task.status === "blocked";
}

function urgency(task: WorkflowTask): number {
  return task.priority ?? Number.MAX_VALUE;
}

function dependantsOf(tasks: readonly WorkflowTask[]): ReadonlyMap<string, readonly WorkflowTask[]> {
  const dependants = new Map<string, WorkflowTask[]>();
  for (const task of tasks) {
    for (const id of task.blockedBy ?? []) {
      const known = dependants.get(id);
      if (known === undefined) dependants.set(id, [task]);
      else known.push(task);
    }
  }
  return dependants;
}
