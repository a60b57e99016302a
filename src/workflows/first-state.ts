// The first state of a workflow: what its `createState` returns for how the run was started, or the default. Makes sure
// that a mistake in the author's function is reported as theirs.

import { AtomicError, messageOf } from "../lib/errors.ts";
import type { WorkflowDefinition, WorkflowOptionValue, WorkflowStateParams } from "./definition.ts";

/** Throws CREATE_STATE_FAILED; an error with its own code from the author's function passes through. */
export function firstState(
  { name, createState }: Pick<WorkflowDefinition, "name" | "createState">,
  params: WorkflowStateParams,
): Record<string, unknown> {
  if (createState === undefined) return { executionId: params.sessionId, prompt: params.prompt, outputs: {} };
  let made: unknown;
  try {
    made = createState(params);
  } catch (cause) {
    if (AtomicError.is(cause)) throw cause;
    throw failed(name, `threw: ${messageOf(cause)}`, cause);
  }
  if (typeof made !== "object" || made === null || Array.isArray(made)) throw failed(name, `returned ${kindOf(made)}`);
  if ("then" in made && typeof made.then === "function") {
    // Its later rejection must not be reported as unhandled.
    Promise.resolve(made).catch(() => undefined);
    throw failed(name, "returned a promise");
  }
  return made as Record<string, unknown>;
}

/** Declared defaults. */
export function optionDefaults({
  options = {},
}: Pick<WorkflowDefinition, "options">): Record<string, WorkflowOptionValue | undefined> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { default: value, type, repeat }]) => {
      const none = repeat === true ? [] : type === "boolean" ? false : undefined;
      return [name, (value as WorkflowOptionValue | undefined) ?? none];
    }),
  );
}

function failed(name: string, problem: string, cause?: unknown): AtomicError {
  const text = `createState of the workflow "${name}" ${problem}. It must return the first state, an object, at once. Fix the workflow.`;
  return new AtomicError("CREATE_STATE_FAILED", text, { cause, details: { workflow: name } });
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}
