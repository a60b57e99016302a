// The last node: what was asked, what was checked, what it cost, per task. A run with work left undone has failed, and
// says which.

import { AtomicError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { withBlocked } from "../../tasks/task-order.ts";
import type { ExecutionContext, NodeResult } from "../graph/node.ts";
import { findingsThatMatter } from "./parse-answers.ts";
import { type RalphState, reported } from "./state.ts";

export function report(context: ExecutionContext<RalphState>): NodeResult<RalphState> {
  const written = makeReport(context.state);
  context.emit("report.written", { report: written });
  const undone = withBlocked(context.state.tasks).filter((task) => task.status !== "completed");
  if (undone.length === 0) return { stateUpdate: { outputs: { report: written } } };
  const named = undone
    .map((task) => `${task.id} ${task.status}${task.error === undefined ? "" : ` (${task.error})`}`)
    .join("; ");
  throw new AtomicError(
    "WORK_INCOMPLETE",
    `${undone.length} of ${context.state.tasks.length} tasks are not done: ${named}.`,
  );
}

function makeReport(state: Readonly<RalphState>): JsonObject {
  const records = new Map(state.records.map((record) => [record.id, record]));
  const tasks = withBlocked(state.tasks).map((task) => {
    const record = records.get(task.id);
    return {
      id: task.id,
      title: task.title,
      status: task.status,
      asked: task.description ?? task.title,
      tries: record?.tries ?? 0,
      checks: [...(record?.checks ?? [])],
      costUsd: record?.costUsd ?? null,
      ...(task.error === undefined ? {} : { error: task.error }),
    };
  });
  const { loop } = state;
  return {
    tasks,
    ...(loop === null
      ? {}
      : { iterations: loop.iterations, checks: [...reported(loop.checks)], costUsd: loop.costUsd }),
    reviews: state.reviews.map((review) => ({
      round: review.round,
      verdict: review.verdict,
      findings: review.findings.map((finding) => ({ ...finding })),
      fixed: findingsThatMatter(review.findings).length,
    })),
    kept: state.kept === null ? null : { ...state.kept },
    pullRequest: state.pullRequest,
  };
}
