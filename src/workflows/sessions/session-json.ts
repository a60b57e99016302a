// session.json: what scripts grep and jq for. The same fields for every workflow; options and tasks fill those that a
// workflow without them leaves empty.

import type { JsonObject } from "../../lib/json.ts";
import { acceptanceCriteriaOf } from "../../tasks/task-details.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { type SessionView, totalsOf } from "./session-view.ts";

export function sessionJson(view: SessionView, sessionDir: string): JsonObject {
  const tasks = [...view.tasks.values()];
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
    features: tasks.map((task) => toFeature(task, view.completedAt.get(task.id))),
    currentFeatureIndex: current,
    completedFeatures: tasks.filter((task) => task.status === "completed").map((task) => task.id),
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

/** The four words of the format: a cancelled run is one that failed to be completed. */
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
