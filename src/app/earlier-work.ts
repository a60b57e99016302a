// What earlier runs completed of a list of tasks: a new run of the same list would silently do it again. Only runs of
// that list are read (run-sources.ts); what counts is their journal. A list of the same path on another machine is
// another list.

import { existsSync } from "node:fs";
import type { WorkflowTask } from "../tasks/workflow-task.ts";
import type { TaskSource } from "../workflows/definition.ts";
import { isProblemOfRun, type RunStore } from "../workflows/sessions/run-store.ts";
import { isSameFile } from "./same-file.ts";
import { readRunSources } from "./run-sources.ts";
import { isResumable, type RunStatus } from "./run-status.ts";
import type { RunReader } from "./runs-read.ts";

export interface EarlierWork {
  /** The list. */
  readonly file: string;
  /** The newest of the runs that completed some of it. */
  readonly run: string;
  readonly status: RunStatus;
  readonly updatedAt: number;
  readonly canResume: boolean;
  /** How many tasks that run completed, of those that the list still has open. */
  readonly completed: number;
  /** Ids of the tasks that any earlier run completed, of those that the list still has open. */
  readonly completedIds: readonly string[];
  /** Tasks in the list. */
  readonly total: number;
  /** Tasks that neither the list nor an earlier run has completed. */
  readonly remaining: number;
}

export interface EarlierWorkQuery {
  readonly workflow: string;
  readonly source: Pick<TaskSource, "file" | "tasks">;
}

/** Undefined when no earlier run completed anything of what the list has open. */
export async function findEarlierWork(
  { store, reader }: { readonly store: RunStore; readonly reader: Pick<RunReader, "page"> },
  { workflow, source }: EarlierWorkQuery,
): Promise<EarlierWork | undefined> {
  const open = new Map(
    source.tasks.filter(({ status }) => status !== "completed").map((task) => [nameOf(task), task.id]),
  );
  if (open.size === 0) return undefined;
  const all = new Set<string>();
  const isThis = sameFileAs(source.file);
  let newest: Omit<EarlierWork, "completedIds" | "remaining"> | undefined;
  for (const { run: id, workflow: itsWorkflow, file } of await readRunSources(store)) {
    if (itsWorkflow !== workflow || file === null || !isThis(file)) continue;
    // One that can't be read is shown by `atomic sessions`; it says nothing about this list.
    const page = await orUndefined(async () => ((await isOfHere(store, id)) ? reader.page(id) : undefined));
    if (page === undefined || page.view.workflow !== workflow) continue;
    if (page.view.taskSource === undefined || !isSameFile(page.view.taskSource, source.file)) continue;
    const completed = [...page.view.tasks.values()].flatMap((task) =>
      task.status === "completed" ? (open.get(nameOf(task)) ?? []) : [],
    );
    for (const task of completed) all.add(task);
    const { updatedAt } = page.view;
    if (completed.length === 0 || (newest !== undefined && newest.updatedAt >= updatedAt)) continue;
    const { status } = page;
    const facts = { file: source.file, run: id, status, updatedAt, canResume: isResumable(status) };
    newest = { ...facts, completed: completed.length, total: source.tasks.length };
  }
  return newest === undefined ? undefined : { ...newest, completedIds: [...all], remaining: open.size - all.size };
}

/** Worked on from this home, under whatever host name, or last by a process of this machine. */
async function isOfHere(store: RunStore, run: string): Promise<boolean> {
  if (existsSync(store.folder(run).session)) return true;
  return (await store.info(run)).ownedBy?.isElsewhere !== true;
}

async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (thrown) {
    if (isProblemOfRun(thrown)) return undefined;
    throw thrown;
  }
}

/** A task that was rewritten under an old id is another task. */
function nameOf({ id, title, description, verify, metadata }: WorkflowTask): string {
  // What was asked for besides. Unknown keys may be notes of any kind, and change without a change of the task.
  const asked = ["acceptanceCriteria", "steps"].map((key) => metadata?.[key] ?? null);
  return JSON.stringify([id, title, description ?? null, verify ?? null, ...asked]);
}

/** Many runs of few lists: each path is looked up once. */
function sameFileAs(file: string): (other: string) => boolean {
  const known = new Map<string, boolean>();
  return (other) => {
    const isSame = known.get(other) ?? isSameFile(other, file);
    known.set(other, isSame);
    return isSame;
  };
}
