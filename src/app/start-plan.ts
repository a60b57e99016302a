// What an author's `beforeStart` returns, checked: it comes from code that is not ours.

import { AtomicError, messageOf } from "../lib/errors.ts";
import { checkShape, list, object, oneOf, optional, spellPath, text, withDefault } from "../lib/shape.ts";
import type { StartParams, StartPlan } from "../workflows/definition.ts";

const task = object(
  { id: text({ min: 1 }), title: text(), status: oneOf(["pending", "in_progress", "completed", "failed", "blocked"]) },
  { others: "keep" },
);

const startPlan = object({
  tasks: optional(
    object({
      file: text({ min: 1 }),
      tasks: list(task),
      earlierWork: withDefault(oneOf(["ask", "leave-out", "redo"]), "ask"),
    }),
  ),
});

/** Throws NODE_FAILED for one that throws, and WORKFLOW_FILE_INVALID for one that returns something else. */
export async function startPlanOf(
  beforeStart: (params: unknown) => unknown,
  params: StartParams,
  workflow: string,
): Promise<StartPlan> {
  let returned: unknown;
  try {
    returned = await beforeStart(params);
  } catch (cause) {
    if (AtomicError.is(cause)) throw cause;
    throw new AtomicError("NODE_FAILED", `beforeStart of the workflow "${workflow}" failed: ${messageOf(cause)}`, {
      cause,
    });
  }
  const checked = checkShape(startPlan, returned ?? {});
  if ("value" in checked) return checked.value;
  const faults = checked.faults.map(({ path, message }) => `${spellPath(path) || "its value"} ${message}`).join("; ");
  throw new AtomicError(
    "WORKFLOW_FILE_INVALID",
    `beforeStart of the workflow "${workflow}" did not return a start plan: ${faults}.`,
  );
}
