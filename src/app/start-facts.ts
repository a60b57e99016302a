// How a run was started, read back from its record, so that a later process resumes it in the same way: same workflow,
// same prompt, same options, same agent, and the limits that applied last.

import { AtomicError } from "../lib/errors.ts";
import {
  amount,
  anyOf,
  checkShape,
  flag,
  list,
  object,
  oneOf,
  optional,
  record,
  type Shape,
  type ShapeOf,
  text,
  withDefault,
} from "../lib/shape.ts";
import { sandboxModes, type SandboxMode } from "../lib/sandbox-mode.ts";
import type { StoredEvent } from "../journal/port.ts";
import type { WorkflowOptionValue } from "../workflows/definition.ts";
import type { RunLimits } from "../workflows/limits/run-limits.ts";

export interface StartFacts {
  readonly run: string;
  readonly workflow: string;
  readonly prompt: string;
  readonly options: Readonly<Record<string, WorkflowOptionValue | undefined>>;
  readonly cwd: string;
  readonly agentKind: string;
  /** The agents that take over when it is out, in this order. */
  readonly otherAgents: readonly string[];
  readonly script: string | undefined;
  readonly model: string | undefined;
  /** No questions are asked: they are declined, or get their default. */
  readonly noQuestions: boolean;
  /** The sandbox mode of its agents. */
  readonly sandbox: SandboxMode;
  readonly limits: RunLimits;
}

const optionValue = anyOf(
  [text(), amount(), flag(), list(text()), list(amount())],
  "must be a text, a number, true or false, or a list",
);
const limit = amount({ min: 0 });

const firstStart = object({ workflow: text(), prompt: text(), options: record(optionValue), cwd: text() });

/** Each start may change these. */
const anyStart = object({
  agentKind: text(),
  agents: withDefault(list(text()), []),
  script: optional(text()),
  model: anyOf([text(), nothing()], "must be a text or null"),
  // Runs of earlier versions don't have it.
  noQuestions: withDefault(flag(), false),
  sandbox: withDefault(oneOf(sandboxModes), "off"),
  limits: object({
    maxIterations: limit,
    maxCostUsd: optional(limit),
    maxTokens: optional(limit),
    maxMinutes: optional(limit),
    maxWaitMinutes: optional(limit),
  }),
});

function nothing(): Shape<null> {
  return (value, faults, path) => {
    if (value !== null) faults.push({ path, message: "must be null" });
    return null;
  };
}

function fitting<T>(shape: Shape<T>, event: StoredEvent): T | undefined {
  const checked = checkShape(shape, event);
  return "value" in checked ? checked.value : undefined;
}

/** The error for a run whose process was killed before its first record: there is nothing to resume. */
export function notStarted(run: string): AtomicError {
  return new AtomicError(
    "RUN_NOT_FOUND",
    `Run ${run} was ended before its start was on record: nothing was done. Remove it with \`atomic sessions rm ${run}\`, and start a new one.`,
    { details: { run } },
  );
}

export async function readStartFacts(
  run: string,
  events: AsyncIterable<StoredEvent> | Iterable<StoredEvent>,
): Promise<StartFacts> {
  let first: ShapeOf<typeof firstStart> | undefined;
  let last: ShapeOf<typeof anyStart> | undefined;
  for await (const event of events) {
    if (event.type !== "run.started") continue;
    first ??= fitting(firstStart, event);
    last = fitting(anyStart, event) ?? last;
  }
  if (first === undefined || last === undefined) {
    throw new AtomicError(
      "JOURNAL_CORRUPT",
      `The record of run ${run} does not say how it was started, so it can't be resumed. Start a new run.`,
      { details: { run } },
    );
  }
  const { agents, ...facts } = last;
  return { run, ...first, ...facts, otherAgents: agents.slice(1), script: last.script, model: last.model ?? undefined };
}
