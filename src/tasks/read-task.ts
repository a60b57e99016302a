// A task as a workflow's state may hold it, read leniently: an author's list of tasks is shown even where it is not quite
// a list of WorkflowTasks. A task without an id can't be identified and is left out.

import { isJsonObject } from "../lib/is-record.ts";
import type { Json } from "../lib/json.ts";
import type { WorkflowTask, WorkflowTaskStatus } from "./workflow-task.ts";

/** `known`: the tasks as they were, for what a list does not say again. */
export function readTasks(
  list: Json | undefined,
  known?: { get(id: string): WorkflowTask | undefined },
): readonly WorkflowTask[] {
  return isList(list) ? list.flatMap((item) => readTask(item, known) ?? []) : [];
}

function readTask(item: Json, known?: { get(id: string): WorkflowTask | undefined }): WorkflowTask | undefined {
  if (!isJsonObject(item) || typeof item["id"] !== "string") return undefined;
  const { id, title, status, blockedBy, error, description, priority, verify, isSkipped, metadata } = item;
  const before = known?.get(id);
  return {
    id,
    title: typeof title === "string" ? title : (before?.title ?? id),
    status: isStatus(status) ? status : (before?.status ?? "pending"),
    ...(isTexts(blockedBy) && { blockedBy }),
    ...(typeof error === "string" && { error }),
    ...(typeof description === "string" && { description }),
    ...(typeof priority === "number" && { priority }),
    ...(typeof verify === "string" && { verify }),
    ...(isSkipped === true && { isSkipped }),
    ...(isJsonObject(metadata) && { metadata }),
  };
}

const statuses: ReadonlySet<unknown> = new Set<WorkflowTaskStatus>([
  "pending",
  "in_progress",
  "completed",
  "failed",
  "blocked",
]);

function isStatus(value: Json | undefined): value is WorkflowTaskStatus {
  return statuses.has(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return isList(value) && value.every((item) => typeof item === "string");
}
