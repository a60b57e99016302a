// Task lists on disk: reads tasks.json (version 1.0) and both feature lists, writes tasks.json. Owns the mapping between
// the words of the file and those of WorkflowTask, and that nothing the file knows is lost on the way.

import { readFileSync, statSync } from "node:fs";
import { systemCode, writeFileAtomically } from "../lib/atomic-file.ts";
import { decodeUtf8 } from "../lib/decode-utf8.ts";
import { AtomicError, messageOf } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import { safeJsonItem, safeJsonWithLists } from "../lib/safe-json.ts";
import { safeText } from "../lib/safe-text.ts";
import { checkShape, type Shape, spellPath } from "../lib/shape.ts";
import {
  featureFileShape,
  legacyListShape,
  taskFileShape,
  type LegacyFeature,
  type TaskOnDisk,
} from "./task-schemas.ts";
import { findTaskFaults, type TaskFault } from "./task-order.ts";
import type { Task } from "./tasks-json.ts";
import { taskId, type WorkflowTask, type WorkflowTaskStatus } from "./workflow-task.ts";

export type TaskListFormat = "tasks" | "features" | "legacy";

type JsonRecord = { readonly [key: string]: Json };

export interface TaskList {
  readonly format: TaskListFormat;
  readonly tasks: readonly WorkflowTask[];
  /** Of the file: createdAt, updatedAt, source, and what else it holds. */
  readonly metadata: JsonRecord;
}

const maxBytes = 16 * 1024 * 1024;
/** Far more than a task list needs. */
const maxLevels = 100;
const forbidden: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Undefined when there is no such file. Throws TASKS_INVALID for one that can't be used. */
export function readTaskFile(path: string): TaskList | undefined {
  let bytes: Uint8Array;
  try {
    const stat = statSync(path);
    // Reading a pipe or a device would wait forever, and no signal could end that.
    if (!stat.isFile()) throw invalid(path, [{ path, problem: "is not a file; give the path of one" }]);
    if (stat.size > maxBytes) throw invalid(path, [{ path, problem: "is larger than 16 MB" }]);
    bytes = readFileSync(path);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return undefined;
    if (AtomicError.is(thrown)) throw thrown;
    throw invalid(path, [{ path, problem: `can't be read (${systemCode(thrown) ?? messageOf(thrown)})` }]);
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) throw invalid(path, [{ path, problem: "is not valid UTF-8" }]);
  return parseTaskList(text, path);
}

/** `source` names the text in errors. */
export function parseTaskList(text: string, source: string): TaskList {
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\u{feff}/u, ""));
  } catch (thrown) {
    const problem = thrown instanceof RangeError ? "is nested too deeply" : `is not JSON: ${messageOf(thrown)}`;
    throw invalid(source, [{ path: source, problem }]);
  }
  return parseTaskData(data, source);
}

/** The same for data that was parsed already, for example out of an agent's answer. */
export function parseTaskData(data: unknown, source: string): TaskList {
  const fault = findDangerous(data, source);
  if (fault !== undefined) throw invalid(source, [fault]);
  const list = toTaskList(data, source);
  const faults = findTaskFaults(list.tasks);
  if (faults.length > 0) throw invalid(source, faults);
  return list;
}

/**
 * tasks.json, version 1.0. `now` becomes `updatedAt`, and `createdAt` where there was none. `textOf`: the text of one
 * task, for callers that keep it.
 */
export function serializeTasks(
  list: Pick<TaskList, "tasks" | "metadata">,
  now: Date,
  textOf: (task: WorkflowTask) => string = taskText,
): string {
  const time = now.toISOString();
  const { createdAt = time, updatedAt: _, ...rest } = list.metadata;
  const file = { version: "1.0", tasks: [], metadata: { createdAt, updatedAt: time, ...rest } };
  return `${safeJsonWithLists(file, { tasks: list.tasks.map(textOf) })}\n`;
}

/** A task as an item of tasks.json. */
export function taskText(task: WorkflowTask): string {
  return safeJsonItem(toDisk(task));
}

export function writeTaskFile(path: string, list: Pick<TaskList, "tasks" | "metadata">, now: Date): void {
  writeFileAtomically(path, serializeTasks(list, now), "shared");
}

/** A feature list as tasks.json. A file that is one already is only brought into form. */
export function migrateTaskList(list: TaskList, now: Date): string {
  const source = list.format === "tasks" ? {} : { source: "migrated" };
  return serializeTasks({ tasks: list.tasks, metadata: { ...list.metadata, ...source } }, now);
}

function toTaskList(data: unknown, source: string): TaskList {
  if (Array.isArray(data)) {
    // A bare list of tasks has ids; the legacy list never had.
    if (data.some((each) => typeof each === "object" && each !== null && "id" in each)) {
      return {
        format: "tasks",
        tasks: fromDisk(parse(taskFileShape, { tasks: data }, source).tasks, source),
        metadata: {},
      };
    }
    return { format: "legacy", tasks: parse(legacyListShape, data, source).map(fromLegacy), metadata: {} };
  }
  if (typeof data === "object" && data !== null && "features" in data && !("tasks" in data)) {
    const { features, ...rest } = parse(featureFileShape, data, source);
    return { format: "features", tasks: fromDisk(features, source, "features"), metadata: asJson(rest) };
  }
  const { version: _, tasks, metadata, ...rest } = parse(taskFileShape, data, source);
  return { format: "tasks", tasks: fromDisk(tasks, source), metadata: { ...asJson(rest), ...recordOf(metadata) } };
}

function parse<T>(shape: Shape<T>, data: unknown, source: string): T {
  const checked = checkShape(shape, data);
  if ("value" in checked) return checked.value;
  const faults = checked.faults.map(({ path, message }) => ({ path: spellPath(path) || source, problem: message }));
  throw invalid(source, faults);
}

const statuses: Readonly<Record<TaskOnDisk["status"], WorkflowTaskStatus>> = {
  pending: "pending",
  in_progress: "in_progress",
  passing: "completed",
  completed: "completed",
  skipped: "completed",
  failing: "failed",
  failed: "failed",
  // Derived from the others whenever it matters.
  blocked: "pending",
};

function fromDisk(tasks: readonly TaskOnDisk[], source: string, list = "tasks"): WorkflowTask[] {
  const faults = tasks.flatMap((task, i): TaskFault[] => {
    return task.name === undefined && task.title === undefined
      ? [{ path: `${list}[${i}].name`, problem: "is missing" }]
      : [];
  });
  if (faults.length > 0) throw invalid(source, faults);
  return tasks.map(fromDiskTask);
}

function fromDiskTask(task: TaskOnDisk): WorkflowTask {
  const {
    id,
    name,
    title,
    description,
    status,
    priority,
    dependencies,
    blockedBy,
    verify,
    error,
    metadata,
    ...unknown
  } = task;
  const waitsFor = dependencies ?? blockedBy;
  // A key that both levels have keeps both values.
  const given = recordOf(metadata);
  const kept = Object.entries(unknown).map(([key, value]) => [Object.hasOwn(given, key) ? `task.${key}` : key, value]);
  const all = { ...asJson(Object.fromEntries(kept)), ...given };
  return {
    id: taskId(id),
    title: name ?? title ?? "",
    status: statuses[status],
    ...(waitsFor === undefined ? {} : { blockedBy: [...new Set(waitsFor.map(taskId))] }),
    ...(error === undefined ? {} : { error }),
    ...(description === undefined ? {} : { description }),
    ...(priority === undefined ? {} : { priority }),
    ...(verify === undefined || verify.trim() === "" ? {} : { verify }),
    ...(status === "skipped" ? { isSkipped: true } : {}),
    ...(Object.keys(all).length === 0 ? {} : { metadata: all }),
  };
}

function fromLegacy(feature: LegacyFeature, index: number): WorkflowTask {
  const { description, passes, ...rest } = feature;
  return {
    id: String(index + 1),
    title: description,
    status: passes ? "completed" : "pending",
    ...(typeof feature.category === "string" ? { description: `Category: ${feature.category}` } : {}),
    ...(Object.keys(rest).length === 0 ? {} : { metadata: asJson(rest) }),
  };
}

function toDisk(task: WorkflowTask): Task {
  const words: Readonly<Record<string, Task["status"]>> = {
    pending: "pending",
    in_progress: "in_progress",
    completed: "passing",
    failed: "failing",
    blocked: "pending",
  };
  return {
    id: task.id,
    name: task.title,
    ...(task.description === undefined ? {} : { description: task.description }),
    status: task.isSkipped === true && task.status === "completed" ? "skipped" : (words[task.status] ?? "pending"),
    ...(task.priority === undefined ? {} : { priority: task.priority }),
    ...(task.blockedBy === undefined ? {} : { dependencies: [...task.blockedBy] }),
    ...(task.verify === undefined ? {} : { verify: task.verify }),
    ...(task.error === undefined ? {} : { error: task.error }),
    ...(task.metadata === undefined ? {} : { metadata: task.metadata }),
  };
}

/** What a file gives as metadata is mostly an object. Whatever else it is, is kept under a name. */
function recordOf(metadata: unknown): JsonRecord {
  if (metadata === undefined) return {};
  const isRecord = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  return asJson(isRecord ? metadata : { metadata });
}

/** Everything here came out of JSON.parse (or a caller's own data); a copy drops what is `undefined`. */
function asJson(value: object): JsonRecord {
  return JSON.parse(JSON.stringify(value)) as JsonRecord;
}

/** What must not even be looked at by others: keys that reach a prototype, and nesting that exhausts a recursion. */
function findDangerous(data: unknown, source: string): TaskFault | undefined {
  const waiting: Part[] = [{ value: data, key: "", around: undefined, depth: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value !== "object" || value === null) continue;
    if (depth > maxLevels) return { path: source, problem: `is nested deeper than ${maxLevels} levels` };
    for (const [key, part] of Object.entries(value)) {
      if (forbidden.has(key)) return { path: pathOf(key, next), problem: "is a key that could reach a prototype" };
      if (typeof part === "object" && part !== null) waiting.push({ value: part, key, around: next, depth: depth + 1 });
    }
  }
  return undefined;
}

interface Part {
  readonly value: unknown;
  readonly key: string;
  readonly around: Part | undefined;
  readonly depth: number;
}

/** Spelled out only for a fault: a list of a thousand tasks has many places. */
function pathOf(key: string, around: Part): string {
  const path = around.around === undefined ? "" : pathOf(around.key, around.around);
  return Array.isArray(around.value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
}

function invalid(source: string, faults: readonly TaskFault[]): AtomicError {
  const count = faults.length === 1 ? "one fault" : `${faults.length} faults`;
  const lines = faults.slice(0, 50).map(({ path, problem }) => `  ${path}: ${problem}`);
  if (faults.length > lines.length) lines.push(`  … and ${faults.length - lines.length} more`);
  const text = safeText(`${upperFirst(source)} can't be used as a task list, ${count}:\n${lines.join("\n")}`);
  return new AtomicError("TASKS_INVALID", text, { details: { source, faults } });
}

/** "the plan" begins a sentence; the path of a file stays as it is. */
function upperFirst(source: string): string {
  return source.startsWith("the ") ? `The ${source.slice(4)}` : source;
}
