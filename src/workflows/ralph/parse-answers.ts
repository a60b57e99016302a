// The planner's and the reviewer's answers, from text to something that can be relied on, or to a reason that can be
// told to the agent.

import { z } from "zod";
import { AtomicError } from "../../lib/errors.ts";
import { parseTaskData } from "../../tasks/task-file.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { findJson } from "./find-json.ts";
import type { Finding, ReviewRecord } from "./state.ts";

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

const mostTasks = 1000;

export function parsePlan(answer: string): Parsed<readonly WorkflowTask[]> {
  const found = findJson(answer);
  if ("problem" in found) return found;
  const data = Array.isArray(found.value) ? { tasks: found.value } : found.value;
  try {
    const { tasks } = parseTaskData(data, "the plan");
    if (tasks.length === 0) return { problem: "the plan has no tasks" };
    if (tasks.length > mostTasks) return { problem: `the plan has ${tasks.length} tasks, more than ${mostTasks}` };
    // A plan says what is to be done; what is done, the run finds out itself.
    return { value: tasks.map((task) => ({ ...task, status: "pending" as const })) };
  } catch (thrown) {
    if (AtomicError.is(thrown, "TASKS_INVALID")) return { problem: thrown.message };
    throw thrown;
  }
}

const review = z.object({
  verdict: z.enum(["correct", "incorrect"], 'must be "correct" or "incorrect"'),
  findings: z
    .array(
      z.object({
        title: z.string().min(1).max(500),
        body: z.string().max(20_000).default(""),
        priority: z.enum(["P0", "P1", "P2", "P3"], "must be P0, P1, P2 or P3"),
        file: z.string().max(1000).optional(),
      }),
    )
    .max(200)
    .default([]),
});

export function parseReview(answer: string): Parsed<Omit<ReviewRecord, "round">> {
  const found = findJson(answer);
  if ("problem" in found) return found;
  const parsed = review.safeParse(found.value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return { problem: `${issue?.path.join(".") ?? "the review"}: ${issue?.message ?? "has the wrong shape"}` };
  }
  const { verdict, findings } = parsed.data;
  return {
    value: { verdict, findings: findings.map(({ file, ...rest }) => (file === undefined ? rest : { ...rest, file })) },
  };
}

/** A review that can't be parsed is kept as it is, and treated as one finding that matters. */
export function rawReview(answer: string): Omit<ReviewRecord, "round"> {
  const body = answer.length > 8000 ? `${answer.slice(0, 8000)}…` : answer;
  return { verdict: "incorrect", findings: [{ title: "The review, as it was written", body, priority: "P2" }] };
}

/** P3 alone starts no fix. */
export function findingsThatMatter(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.priority !== "P3");
}
