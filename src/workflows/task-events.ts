// `task.updated` for every workflow that keeps `tasks` in its state: whenever a node's update changes one, the event is
// stored together with that update. A workflow that reports its tasks itself is not repeated.

import type { JournalEvent, JournalHandle, JournalStore } from "../journal/port.ts";
import { isCheckedReport, readEvent, type RunEventOf } from "../events/run-event.ts";
import { readTasks } from "../tasks/read-task.ts";
import type { WorkflowTask } from "../tasks/workflow-task.ts";

/** The store, with those events added to what is appended. `known`: the tasks of a run that is resumed. */
export function withTaskEvents(
  store: Pick<JournalStore, "open" | "remove">,
  known: Iterable<readonly [string, WorkflowTask]>,
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
    storesStepsApart: handle.storesStepsApart,
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
  #first: readonly WorkflowTask[] = [];

  constructor(known: Iterable<readonly [string, WorkflowTask]>) {
    for (const [id, task] of known) this.#reported.set(id, summaryOf(task));
  }

  /** The events, each update of tasks followed by what it changes. */
  extend(events: readonly JournalEvent[]): readonly JournalEvent[] {
    if (!events.some(isAboutTasks)) return events;
    const extended: JournalEvent[] = [];
    for (const event of events) {
      extended.push(event);
      if (isAboutTasks(event)) extended.push(...this.#following(event));
    }
    return extended;
  }

  #following(appended: JournalEvent): readonly JournalEvent[] {
    if (isCheckedReport(appended)) {
      if (appended.type === "task.updated") this.#reported.set(appended.task.id, summaryOf(appended.task));
      return [];
    }
    const event = readEvent({ ...appended, seq: 0, at: appended.at ?? 0 });
    if (event.type === "run.started") this.#first = readTasks(event.state?.["tasks"]);
    if (event.type !== "node.finished") return [];
    const tasks = [...this.#first, ...readTasks(event.update?.["tasks"])];
    this.#first = [];
    return tasks.flatMap((task) => this.#changed(task, event));
  }

  #changed(task: WorkflowTask, { key, node, at }: RunEventOf<"node.finished">): readonly JournalEvent[] {
    const summary = summaryOf(task);
    if (this.#reported.get(task.id) === summary) return [];
    this.#reported.set(task.id, summary);
    return [{ type: "task.updated", key, node, task: { ...task }, at }];
  }
}

function isAboutTasks({ type }: JournalEvent): boolean {
  return type === "node.finished" || type === "task.updated" || type === "run.started";
}

function summaryOf({ status, title, error = "" }: ReportedTask): string {
  return `${status}\n${title}\n${error}`;
}
