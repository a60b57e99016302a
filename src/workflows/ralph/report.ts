// The last node: what was asked, what was checked, what it cost, per task. A run with work left undone has failed, and
// says which.

import { AtomicError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { withBlocked } from "../../tasks/task-order.ts";
import type { ExecutionContext, NodeResult } from "../graph/node.ts";
import { type RalphState, reported, type ReviewRecord, type YoloLoop } from "./state.ts";

export function report(context: ExecutionContext<RalphState>): NodeResult<RalphState> {
  const written = makeReport(context.state);
  context.emit("report.written", { report: written });
  const undone = withBlocked(context.state.tasks).filter((task) => task.status !== "completed");
  if (undone.length === 0) return { stateUpdate: { outputs: { report: written } } };
  const named = undone
    .slice(0, mostNamed)
    .map((task) => `${task.id} ${task.status}${task.error === undefined ? "" : ` (${task.error})`}`);
  if (undone.length > mostNamed) named.push(`and ${undone.length - mostNamed} more`);
  throw new AtomicError(
    "WORK_INCOMPLETE",
    `${undone.length} of ${context.state.tasks.length} tasks are not done: ${named.join("; ")}.`,
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
  const { loop, kept, pullRequest } = state;
  return {
    tasks,
    ...(loop === null
      ? {}
      : { iterations: loop.iterations, checks: [...reported(loop.checks)], costUsd: loop.costUsd }),
    reviews: state.reviews.map((review) => ({
      round: review.round,
      verdict: review.verdict,
      findings: review.findings.map((finding) => ({ ...finding })),
      fixed: fixedIn(state, review),
    })),
    kept: kept === null ? null : { ...kept },
    pullRequest,
    notes: [...loopNotes(loop), ...state.reviews.flatMap((review) => reviewNotes(state, review)), ...endNotes(state)],
  };
}

const mostNamed = 20;

/** The fixes that its findings led to and that are done. */
function fixedIn({ tasks }: Readonly<RalphState>, { round }: ReviewRecord): number {
  return tasks.filter(({ metadata, status }) => metadata?.["fixes"] === round && status === "completed").length;
}

// ---- the same in words, for whoever reads it at a terminal

function loopNotes(loop: YoloLoop | null): readonly string[] {
  if (loop === null) return [];
  const cost = loop.costUsd === null ? "" : `, $${loop.costUsd.toFixed(4)}`;
  const checks = loop.checks.map(
    ({ command, exitCode, tree, treeAfter }) =>
      `  ${command}: exit ${exitCode ?? "none"} on tree ${tree}${tree === treeAfter ? "" : `, which became ${treeAfter}`}`,
  );
  return [`${counted(loop.iterations, "iteration")}${cost}`, ...checks];
}

function reviewNotes(state: Readonly<RalphState>, review: ReviewRecord): readonly string[] {
  const { round, verdict, findings } = review;
  const fixed = findings.length === 0 ? "" : `, ${fixedIn(state, review)} fixed`;
  return [
    `review ${round}: ${verdict}, ${findings.length === 0 ? "no findings" : counted(findings.length, "finding")}${fixed}`,
    ...findings.map(({ priority, title, file }) => `  ${priority} ${title}${file === undefined ? "" : ` (${file})`}`),
  ];
}

function endNotes({ kept, pullRequest }: Readonly<RalphState>): readonly string[] {
  const notes: string[] = [];
  if (kept !== null && kept.ref !== null)
    notes.push(
      `your uncommitted work from before the run (${counted(kept.files, "file")}) is kept: git show ${kept.ref}`,
    );
  if (kept !== null && kept.note !== null) notes.push(kept.note);
  if (pullRequest !== null) notes.push(`pull request: ${pullRequest}`);
  return notes;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
