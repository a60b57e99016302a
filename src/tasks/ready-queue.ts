// Tasks in the order in which they may start: the most urgent first, none before what it depends on is completed.
// Looks at each task and each dependency once, however long the list is; task-order.ts answers the same for one moment.

import type { WorkflowTask } from "./workflow-task.ts";

interface Waiting {
  readonly task: WorkflowTask;
  readonly place: number;
  /** Dependencies that are not completed. */
  missing: number;
}

export class ReadyQueue {
  /** Sorted: the next one is the last. */
  readonly #ready: Waiting[] = [];
  readonly #dependants = new Map<string, Waiting[]>();

  constructor(tasks: readonly WorkflowTask[]) {
    const done = new Set(tasks.filter(({ status }) => status === "completed").map(({ id }) => id));
    for (const [place, task] of tasks.entries()) {
      if (task.status !== "pending" && task.status !== "blocked") continue;
      const missing = new Set((task.blockedBy ?? []).filter((id) => !done.has(id)));
      const waiting = { task, place, missing: missing.size };
      for (const id of missing) this.#dependants.set(id, [...(this.#dependants.get(id) ?? []), waiting]);
      if (missing.size === 0) this.#ready.push(waiting);
    }
    this.#ready.sort((a, b) => compare(b, a));
  }

  take(): WorkflowTask | undefined {
    return this.#ready.pop()?.task;
  }

  /** What waited only for this one may start. */
  complete(id: string): void {
    for (const waiting of this.#dependants.get(id) ?? []) if (--waiting.missing === 0) this.#insert(waiting);
    this.#dependants.delete(id);
  }

  #insert(waiting: Waiting): void {
    let [low, high] = [0, this.#ready.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#ready[middle] as Waiting, waiting) > 0) low = middle + 1;
      else high = middle;
    }
    this.#ready.splice(low, 0, waiting);
  }
}

function compare(a: Waiting, b: Waiting): number {
  return urgency(a) - urgency(b) || a.place - b.place;
}

function urgency({ task }: Waiting): number {
  return task.priority ?? Number.MAX_VALUE;
}
