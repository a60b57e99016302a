// Reports a finished visit to listeners: a stream gets what it changed, a program all of it.

import { viewOfRecord } from "../../../lib/json-view.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { StepResult, StepUpdate } from "../model/step-result.ts";
import type { RecordedOutcome } from "../record/recorded-outcome.ts";
import type { Token } from "../schedule/token.ts";
import type { Outcome } from "./attempts.ts";
import { toErrorRecord } from "./attempts.ts";
import type { RunHost } from "./run-host.ts";

type AnyState = Record<string, unknown>;

/** Resolves when the run may continue: it waits for a reader that falls behind. */
export function reportStep(
  run: RunHost,
  token: Token,
  node: PlanNode,
  outcome: RecordedOutcome | Outcome,
): void | Promise<void> {
  const { onStep, onUpdate } = run.control;
  const updated = onUpdate?.(updateOf(run, token, node, outcome));
  if (onStep === undefined) return updated;
  // Its own objects: the listeners know nothing of each other.
  const stepped = onStep({ ...updateOf(run, token, node, outcome), ...stepDetails(token, node, outcome) });
  if (updated === undefined) return stepped;
  return stepped === undefined ? updated : stepped.then(() => updated);
}

function updateOf(
  { fold }: RunHost,
  token: Token,
  node: PlanNode,
  outcome: RecordedOutcome | Outcome,
): StepUpdate<AnyState> {
  const update = "isLost" in outcome ? outcome.update : updateIn(outcome);
  return {
    nodeId: node.id,
    state: fold.view(token.state),
    update: update === undefined ? {} : viewOfRecord(update),
  };
}

function stepDetails(
  token: Token,
  node: PlanNode,
  outcome: RecordedOutcome | Outcome,
): Omit<StepResult<AnyState>, keyof StepUpdate<AnyState>> {
  const isReplayed = "isLost" in outcome;
  const failure = isReplayed ? outcome.failure : failureIn(outcome);
  return {
    key: token.keyOf(node.keyPart),
    visit: token.visit,
    status: failure === undefined ? "completed" : "recovered",
    error: failure === undefined ? undefined : { message: failure.message, code: failure.code },
    isReplayed,
  };
}

function updateIn(outcome: Outcome): RecordedOutcome["update"] {
  return outcome.kind === "done" ? outcome.update : outcome.handled?.update;
}

function failureIn(outcome: Outcome): RecordedOutcome["failure"] {
  return outcome.kind === "done" ? undefined : toErrorRecord(outcome.error);
}
