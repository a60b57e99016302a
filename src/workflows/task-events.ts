// `task.updated` for every workflow that keeps `tasks` in its state: whenever a node's update changes one, the event is
// stored together with that update. A workflow that reports its tasks itself is not repeated.

import type { JournalEvent, JournalHandle, JournalStore } from "../journal/port.ts";
import type { Json, JsonObject } from "../lib/json.ts";
import type { WorkflowTask } from "../tasks/workflow-task.ts";

/** The store, with those events added to what is appended. `known`: the tasks of a run that is resumed. */
export function withTaskEvents(
  store: Pick<JournalStore, "open" | "remove">,
  known: ReadonlyMap<string, WorkflowTask>,
): Pick<JournalStore, "open" | "remove"> {
  const tasks = new TaskEvents(known);
  return {
    open: async (run, options) => extended(await store.open(run, options), tasks),
    remove: (run) => store.remove(run),
  };
}

function extended(handle: JournalHandle, tasks: TaskEvents): JournalHandle {
  return {
    run: handle.run,
    snapshot: handle.snapshot,
    history: handle.history,
    lost: handle.lost,
    get lastSeq() {
      return handle.lastSeq;
    },
    get bytesWritten() {
      return handle.bytesWritten;
    },
    append: (events, entry) => handle.append(tasks.extend(events), entry),
    saveSnapshot: (snapshot) => handle.saveSnapshot(snapshot),
    requests: (signal) => handle.requests(signal),
    pending: () => handle.pending(),
    acknowledge: (id) => handle.acknowledge(id),
    close: () => handle.close(),
  };
}

type ReportedTask = Pick<WorkflowTask, "title" | "status" | "error">;

class TaskEvents {
  /** What was last reported of each task. */
  readonly #reported = new Map<string, string>();
  /** Tasks of the first state: reported with the first update, unless the workflow does it. */
  #first: Json | undefined;

  constructor(known: ReadonlyMap<string, WorkflowTask>) {
    for (const [id, task] of known) this.#reported.set(id, summaryOf(task));
  }

  /** The events, each update of tasks followed by what it changes. */
  extend(events: readonly JournalEvent[]): readonly JournalEvent[] {
    if (!events.some(isAboutTasks)) return events;
    return events.flatMap((event) => [event, ...this.#following(event)]);
  }

  #following(event: JournalEvent): readonly JournalEvent[] {
    switch (event.type) {
      case "run.started":
        this.#first = (event["state"] as JsonObject | undefined)?.["tasks"];
        return [];
      case "task.updated":
        for (const task of tasksIn([event["task"] ?? null])) this.#reported.set(task.id, summaryOf(task));
        return [];
      case "node.finished": {
        const lists = [this.#first, (event["update"] as JsonObject | undefined)?.["tasks"]];
        this.#first = undefined;
        return lists.flatMap((list) => this.#changed(list, event));
      }
      default:
        return [];
    }
  }

  #changed(list: Json | undefined, { key, node, at }: JournalEvent): readonly JournalEvent[] {
    return tasksIn(list).flatMap((task) => {
      const summary = summaryOf(task);
      if (this.#reported.get(task.id) === summary) return [];
      this.#reported.set(task.id, summary);
      return [{ type: "task.updated", key, node, task: task as object as Json, at } as JournalEvent];
    });
  }
}

function isAboutTasks({ type }: JournalEvent): boolean {
  return type === "node.finished" || type === "task.updated" || type === "run.started";
}

/** Those that can be told apart. */
function tasksIn(list: Json | undefined): readonly WorkflowTask[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly (Partial<WorkflowTask> | null)[]).flatMap((task) =>
    typeof task?.id === "string" ? [{ title: task.id, status: "pending" as const, ...task, id: task.id }] : [],
  );
}

function summaryOf({ status, title, error = "" }: ReportedTask): string {
  return `${status}\n${title}\n${error}`;
}
