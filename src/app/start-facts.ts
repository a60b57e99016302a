// How a run was started, read back from its record, so that a later process goes on in the same way: same workflow,
// same prompt, same options, same agent, and the limits that counted last.

import { z } from "zod";
import { AtomicError } from "../lib/errors.ts";
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
  readonly script: string | undefined;
  readonly model: string | undefined;
  readonly limits: RunLimits;
}

const optionValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.array(z.number())]);
const amount = z.number().nonnegative();

const firstStart = z.object({
  workflow: z.string(),
  prompt: z.string(),
  options: z.record(z.string(), optionValue),
  cwd: z.string(),
});

/** Each start may change these. */
const anyStart = z.object({
  agentKind: z.string(),
  script: z.string().optional(),
  model: z.string().nullable(),
  limits: z.object({
    maxIterations: amount,
    maxCostUsd: amount.optional(),
    maxTokens: amount.optional(),
    maxMinutes: amount.optional(),
    maxWaitMinutes: amount,
  }),
});

export async function readStartFacts(run: string, events: AsyncIterable<StoredEvent>): Promise<StartFacts> {
  let first: z.output<typeof firstStart> | undefined;
  let last: z.output<typeof anyStart> | undefined;
  let isEmpty = true;
  for await (const event of events) {
    isEmpty = false;
    if (event.type !== "run.started") continue;
    first ??= firstStart.safeParse(event).data;
    last = anyStart.safeParse(event).data ?? last;
  }
  if (first === undefined || last === undefined) {
    throw new AtomicError(
      "JOURNAL_CORRUPT",
      isEmpty
        ? `Run ${run} was ended before its start was on record: nothing was done. Remove it with \`atomic sessions rm ${run}\`, and start a new one.`
        : `The record of run ${run} does not say how it was started, so it can't be resumed. Start a new run.`,
      { details: { run } },
    );
  }
  return { run, ...first, ...last, script: last.script, model: last.model ?? undefined };
}
