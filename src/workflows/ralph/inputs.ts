// What a run starts from, read before there is a run: the text of a spec, and the list of tasks. What is missing or
// can't be used is refused here, so that nothing is left behind.

import { readFileSync, type Stats, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { AtomicError, messageOf } from "../../lib/errors.ts";
import { readTaskFile, type TaskList } from "../../tasks/task-file.ts";
import { taskListPlaces } from "../../tasks/task-places.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { isSystemError } from "../../lib/atomic-file.ts";

const maxSpecBytes = 1024 * 1024;
const maxPathChars = 1000;

/** A prompt that names a file means what is in the file. */
export function readSpec(prompt: string, cwd: string): string {
  if (prompt === "" || prompt.length > maxPathChars || /[\n\0]/.test(prompt)) return prompt;
  const path = resolve(cwd, prompt);
  const stat = statOf(path);
  if (stat?.isFile() !== true) return prompt;
  if (stat.size > maxSpecBytes) {
    throw new AtomicError(
      "USAGE",
      `${path} is ${stat.size} bytes, too long for a spec. Give a shorter one, or a prompt that names the file.`,
    );
  }
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const text = `The spec ${path} can't be read: ${messageOf(cause)}. Make it readable, or write the prompt itself.`;
    throw new AtomicError("USAGE", text, { cause });
  }
}

/** Undefined for whatever can't be the path of a file: a sentence is often too long for one. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    return undefined;
  }
}

export interface FoundTasks {
  readonly tasks: readonly WorkflowTask[];
  /** The file they were read from. */
  readonly path: string;
  /** The file, when it is a feature list; the session keeps a copy of it. */
  readonly featureList: string | null;
}

/**
 * From the named file, or from the default paths. The file is not changed. `redo`: tasks that it marks as done are
 * open.
 */
export function loadTasks(given: string | null, cwd: string, redo: boolean): FoundTasks {
  const places = given === null ? taskListPlaces : [given];
  for (const place of places) {
    const path = isAbsolute(place) ? place : join(cwd, place);
    const list = readTaskFile(path);
    if (list !== undefined) return foundIn(list, path, redo);
  }
  throw new AtomicError(
    "TASKS_MISSING",
    given === null
      ? `There is no task list: neither ${taskListPlaces.join(" nor ")} is in ${cwd}. Make one with /create-feature-list, or say what to do: atomic ralph "…".`
      : `There is no task list at ${given}. Check the path, or leave --feature-list out.`,
  );
}

function foundIn({ tasks, format }: TaskList, path: string, redo: boolean): FoundTasks {
  if (tasks.length === 0) {
    throw new AtomicError(
      "TASKS_MISSING",
      `The task list ${path} is empty. Add tasks to it, or say what to do: atomic ralph "…".`,
    );
  }
  // Tasks that were in progress or had failed are to be done.
  const open = tasks.map((task) =>
    task.status === "completed" && !redo ? task : withoutError({ ...task, status: "pending" }),
  );
  return { tasks: open, path, featureList: format === "tasks" ? null : path };
}

function withoutError(task: WorkflowTask): WorkflowTask {
  const { error: _, ...rest } = task;
  return rest;
}
