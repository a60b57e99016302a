// The last node: what was asked, what was checked, what it cost, per task. A run with work left undone has failed, and
// says which.

import { counted } from "../../lib/counted.ts";
import { AtomicError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { writeBack } from "../../tasks/write-back.ts";
import { askedFor } from "../../tasks/task-details.ts";
import { withBlocked } from "../../tasks/task-order.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { howItEnded } from "../checks/check.ts";
import type { ExecutionContext, NodeResult } from "../graph/model/node.ts";
import { keepArtifact } from "./artifacts.ts";
import { deliver, removeWorkTrees } from "./delivery.ts";
import { landingNotes } from "./landing-notes.ts";
import { endsOf } from "./list-writer.ts";
import { fixRound, type RalphState, reported, type ReportedCheck, type ReviewRecord, type YoloLoop } from "./state.ts";
import { noteStuck, stuckPause, wasFailed, wasStuck } from "./stuck.ts";

export async function report(context: ExecutionContext<RalphState>): Promise<NodeResult<RalphState>> {
  const retried = retriedTasks(context);
  if (retried !== undefined) {
    const tasks = reopen(context.state, retried);
    for (const task of tasks) if (task.status === "pending") context.record({ type: "task.updated", task });
    // What was delivered before the pause is on record, and not delivered again.
    const delivery = (await deliver(context)) ?? context.state.delivery ?? null;
    return { stateUpdate: { tasks, delivery }, goto: "work" };
  }
  const delivery = (await deliver(context)) ?? context.state.delivery ?? null;
  await removeWorkTrees(context);
  const state = { ...context.state, delivery };
  const { settings, source = null, tasks: all } = state;
  const unwritten =
    settings.writeBack === true && source !== null
      ? writeBack(source, endsOf(all), new Date(context.runtime.clock.now()))
      : undefined;
  const written = makeReport(state, unwritten);
  context.record({ type: "report.written", report: written });
  keepArtifact(state, "report.md", reportText(state, written));
  const undone = withBlocked(context.state.tasks).filter((task) => task.status !== "completed");
  if (undone.length === 0) return { stateUpdate: { outputs: { report: written }, delivery } };
  const summary = undoneText(undone, context.state.tasks.length);
  if (stuckTasks(context.state).length === 0) throw new AtomicError("WORK_INCOMPLETE", summary);
  await noteStuck(context);
  throw stuckPause(`${summary} Resume it to try again what is stuck`);
}

function undoneText(undone: readonly WorkflowTask[], total: number): string {
  const named = undone
    .slice(0, maxNamed)
    .map((task) => `${task.id} ${task.status}${task.error === undefined ? "" : ` (${task.error})`}`);
  if (undone.length > maxNamed) named.push(`and ${undone.length - maxNamed} more`);
  const verb = undone.length === 1 ? "is" : "are";
  return `${undone.length} of ${counted(total, "task")} ${verb} not done: ${named.join("; ")}.`;
}

function stuckTasks({ tasks, records }: Readonly<RalphState>): readonly WorkflowTask[] {
  const stuck = new Set(records.filter((record) => record.isStuck === true).map((record) => record.id));
  return tasks.filter((task) => task.status === "failed" && stuck.has(task.id));
}

/** What a resumed run tries again: after a failure every task that failed. Undefined where nothing was reported yet. */
function retriedTasks(context: ExecutionContext<RalphState>): readonly WorkflowTask[] | undefined {
  if (wasFailed(context)) return context.state.tasks.filter((task) => task.status === "failed");
  return wasStuck(context) ? stuckTasks(context.state) : undefined;
}

/** A resumed run tries them again, and what waits for them. */
function reopen(state: Readonly<RalphState>, retried: readonly WorkflowTask[]): WorkflowTask[] {
  const reopened = new Set(retried);
  return withBlocked(
    state.tasks.map((task) => {
      const { error: _, ...rest } = task;
      return reopened.has(task) ? { ...rest, status: "pending" as const } : task;
    }),
  ).slice();
}

function makeReport(state: Readonly<RalphState>, unwritten: string | undefined): JsonObject {
  const records = new Map(state.records.map((record) => [record.id, record]));
  const tasks = withBlocked(state.tasks).map((task) => {
    const record = records.get(task.id);
    return {
      id: task.id,
      title: task.title,
      status: task.status,
      asked: askedFor(task),
      tries: record?.tries ?? 0,
      checks: [...(record?.checks ?? [])],
      costUsd: record?.costUsd ?? null,
      ...(task.error === undefined ? {} : { error: task.error }),
      ...(record?.landed === undefined ? {} : { landed: record.landed }),
      ...(record?.kept === undefined || task.status === "completed" ? {} : { kept: record.kept }),
    };
  });
  const { loop, kept, pullRequest, isolation = null, delivery = null } = state;
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
    ...(isolation?.mode === "trees" ? { base: isolation.trees.base, delivery } : {}),
    pullRequest,
    notes: [
      ...loopNotes(loop),
      ...state.reviews.flatMap((review) => reviewNotes(state, review)),
      ...landingNotes(state),
      ...endNotes(state),
      ...(unwritten === undefined ? [] : [`the task list was not updated: ${unwritten}`]),
    ],
  };
}

/** The same for readers of the session's files. */
function reportText(state: Readonly<RalphState>, { notes }: JsonObject): string {
  const records = new Map(state.records.map((record) => [record.id, record]));
  const tasks = withBlocked(state.tasks).map((task) => {
    const checks = (records.get(task.id)?.checks ?? []).map(
      (check) => `\n  - \`${check.command}\` ${howItEnded(check)}${treeText(check)}`,
    );
    const error = task.error === undefined ? "" : `\n  - ${task.error}`;
    return `- [${task.status === "completed" ? "x" : " "}] ${task.id}: ${task.title} (${task.status})${checks.join("")}${error}`;
  });
  const lines = (notes as readonly string[]).map((note) =>
    note.startsWith("  ") ? `  - ${note.trim()}` : `- ${note}`,
  );
  return ["# Report", ...(tasks.length === 0 ? [] : [tasks.join("\n")]), lines.join("\n")].join("\n\n");
}

const maxNamed = 20;

/** The fixes that its findings led to and that are done. */
function fixedIn({ tasks }: Readonly<RalphState>, { round }: ReviewRecord): number {
  return tasks.filter((task) => fixRound(task) === round && task.status === "completed").length;
}

// ---- the same in words, for a terminal

function loopNotes(loop: YoloLoop | null): readonly string[] {
  if (loop === null) return [];
  const cost = loop.costUsd === null ? "" : `, $${loop.costUsd.toFixed(4)}`;
  const checks = loop.checks.map((check) => `  ${check.command}: ${howItEnded(check)}${treeText(check)}`);
  return [`${counted(loop.iterations, "iteration")}${cost}`, ...checks];
}

function treeText({ tree, treeAfter }: ReportedCheck): string {
  if (tree === null) return "";
  return ` on tree ${tree}${treeAfter === null || tree === treeAfter ? "" : `, which became ${treeAfter}`}`;
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
  // A run of an earlier version has no such fields.
  if (typeof kept?.staged === "string") notes.push(`what was staged and differed from it: git show ${kept.staged}`);
  if (typeof kept?.nested === "string") notes.push(`work in repositories inside this one: git show ${kept.nested}`);
  if (kept !== null && kept.note !== null) notes.push(kept.note);
  if (pullRequest !== null) notes.push(`pull request: ${pullRequest}`);
  return notes;
}
