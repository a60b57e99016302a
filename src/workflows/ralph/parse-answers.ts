// The planner's and the reviewer's answers, from text to a validated value, or to a reason that can be
// given to the agent.

import { AtomicError } from "../../lib/errors.ts";
import { checkShape, list, object, oneOf, optional, spellPath, text, withDefault } from "../../lib/shape.ts";
import { parseTaskData } from "../../tasks/task-file.ts";
import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { type FoundAnswer, findJson } from "./find-json.ts";
import type { Finding, ReviewRecord } from "./state.ts";

export type Parsed<T> = { readonly value: T } | { readonly problem: string };

const maxTasks = 1000;

export function parsePlan(answer: FoundAnswer): Parsed<readonly WorkflowTask[]> {
  const found = findJson(answer, "tasks");
  if ("problem" in found) return found;
  const data = Array.isArray(found.value) ? { tasks: found.value } : found.value;
  try {
    const { tasks } = parseTaskData(data, "the plan");
    if (tasks.length === 0) return { problem: "the plan has no tasks" };
    if (tasks.length > maxTasks) return { problem: `the plan has ${tasks.length} tasks, more than ${maxTasks}` };
    // A plan says what to do; the run itself determines what is done.
    return { value: tasks.map((task) => ({ ...task, status: "pending" as const })) };
  } catch (thrown) {
    if (AtomicError.is(thrown, "TASKS_INVALID")) return { problem: thrown.message };
    throw thrown;
  }
}

const finding = object({
  title: text({ min: 1, max: 500 }),
  body: withDefault(text({ max: 20_000 }), ""),
  priority: oneOf(["P0", "P1", "P2", "P3"], "must be P0, P1, P2 or P3"),
  file: optional(text({ max: 1000 })),
});

const review = object(
  {
    verdict: oneOf(["correct", "incorrect"]),
    findings: withDefault(list(finding, { max: 200 }), []),
  },
  { message: "must be an object" },
);

export function parseReview(answer: FoundAnswer): Parsed<Omit<ReviewRecord, "round">> {
  const found = findJson(answer, "verdict");
  if ("problem" in found) return found;
  const checked = checkShape(review, found.value);
  if ("value" in checked) {
    const { verdict, findings } = checked.value;
    if (verdict === "correct" || findings.length > 0) return checked;
    return { problem: 'the verdict is "incorrect", and there are no findings that say why' };
  }
  const [fault] = checked.faults;
  const place = fault === undefined ? "" : spellPath(fault.path);
  return { problem: `${place === "" ? "the review" : place}: ${fault?.message ?? "has the wrong shape"}` };
}

/** A review that can't be parsed is kept as it is, and treated as one finding that matters. */
export function rawReview({ text }: FoundAnswer): Omit<ReviewRecord, "round"> {
  const body = text.length > 8000 ? `${text.slice(0, 8000)}…` : text;
  return { verdict: "incorrect", findings: [{ title: "The review, as it was written", body, priority: "P2" }] };
}

/** P3 alone starts no fix. */
export function findingsThatMatter(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter((finding) => finding.priority !== "P3");
}
