// session.json: what scripts grep and jq for. The same fields for every workflow; options and tasks fill those that a
// workflow without them leaves empty.

import type { JsonObject } from "../../lib/json.ts";
import { safeJsonItem, safeJsonWithLists } from "../../lib/safe-json.ts";
import { acceptanceCriteriaOf } from "../../tasks/task-details.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { type SessionView, totalsOf } from "./session-view.ts";

/** The texts of one task in the file: kept by callers that write it again and again. */
export interface SessionItems {
  readonly feature: (task: WorkflowTask) => string;
  readonly id: (task: WorkflowTask) => string;
}

/** The text of the file. */
export function sessionText(view: SessionView, sessionDir: string, textOf: SessionItems): string {
  const tasks = [...view.tasks.values()];
  const completed = tasks.filter((task) => task.status === "completed");
  const lists = { features: tasks.map(textOf.feature), completedFeatures: completed.map(textOf.id) };
  return `${safeJsonWithLists(sessionFields(view, tasks, sessionDir), lists)}\n`;
}

/** A task as an item of the features. */
export function featureText(task: WorkflowTask, completedAt: number | undefined): string {
  return safeJsonItem(toFeature(task, completedAt));
}

export function idText({ id }: WorkflowTask): string {
  return safeJsonItem(id);
}

/** Everything but the lists of features. */
function sessionFields(view: SessionView, tasks: readonly WorkflowTask[], sessionDir: string): JsonObject {
  const current = tasks.findIndex((task) => task.status === "in_progress");
  const totals = totalsOf(view);
  return {
    sessionId: view.id,
    sessionDir,
    workflow: view.workflow,
    agent: view.agent,
    prompt: view.prompt,
    cwd: view.cwd,
    createdAt: new Date(view.createdAt).toISOString(),
    lastUpdated: new Date(view.updatedAt).toISOString(),
    yolo: view.options["yolo"] === true,
    maxIterations: view.maxIterations,
    ...(view.taskSource === undefined ? {} : { sourceFeatureListPath: view.taskSource }),
    ...(view.mode === undefined ? {} : { mode: view.mode }),
    features: [],
    currentFeatureIndex: current,
    completedFeatures: [],
    iteration: view.iteration,
    status: statusOf(view),
    ...(view.reason === undefined ? {} : { reason: view.reason }),
    ...(view.message === undefined ? {} : { message: view.message }),
    ...(view.waitingUntil === undefined ? {} : { waitingUntil: new Date(view.waitingUntil).toISOString() }),
    ...(view.pullRequest?.url === undefined ? {} : { prUrl: view.pullRequest.url }),
    ...(view.pullRequest?.branch === undefined ? {} : { prBranch: view.pullRequest.branch }),
    questions: [...view.questions.values()].map(({ id, text }) => ({ id, text })),
    totals: { ...totals },
  };
}

/** The format has four words: a cancelled run counts as failed. */
function statusOf(view: SessionView): string {
  return view.status === "cancelled" ? "failed" : view.status;
}

function toFeature(task: WorkflowTask, completedAt: number | undefined): JsonObject {
  const status = {
    pending: "pending",
    blocked: "pending",
    in_progress: "in_progress",
    completed: "passing",
    failed: "failing",
  } as const;
  const criteria = acceptanceCriteriaOf(task);
  return {
    id: task.id,
    name: task.title,
    description: task.description ?? "",
    ...(criteria.length === 0 ? {} : { acceptanceCriteria: [...criteria] }),
    status: status[task.status],
    ...(completedAt === undefined ? {} : { implementedAt: new Date(completedAt).toISOString() }),
    ...(task.error === undefined ? {} : { error: task.error }),
  };
}
