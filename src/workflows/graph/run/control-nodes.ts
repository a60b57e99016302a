// Routing that leaves no record: the builder's own nodes and the conditions of edges. All of it is pure, so it is
// evaluated again on resume.

import { AtomicError, messageOf } from "../../../lib/errors.ts";
import { applyUpdate } from "../schedule/apply-update.ts";
import type { StateFold } from "../model/fold.ts";
import type { ControlSpec } from "../model/node.ts";
import { loopLimitReached } from "../schedule/limit-reached.ts";
import { leaveFailed } from "./settle.ts";
import type { Condition, PlanNode } from "../compile/plan.ts";
import type { RunHost } from "./run-host.ts";
import type { Token } from "../schedule/token.ts";

type AnyState = Record<string, unknown>;

/** Where to go, or undefined: along the edges. */
export function passControl(run: RunHost, token: Token, control: ControlSpec<AnyState>): string | undefined {
  switch (control.kind) {
    case "pass":
      return undefined;
    case "join":
      return leaveFailed(run, token, run.graph.plan.nodes[token.at] as PlanNode);
    case "loop-entry":
      (token.branch.loops ??= new Map()).set(control.loop, 0);
      return undefined;
    case "loop-check":
      return checkLoop(run, token, control);
  }
}

function checkLoop(
  run: RunHost,
  token: Token,
  control: Extract<ControlSpec<AnyState>, { kind: "loop-check" }>,
): string {
  const loops = (token.branch.loops ??= new Map());
  const done = (loops.get(control.loop) ?? 0) + 1;
  const { graph, fold, control: shared, recorder } = run;
  const { maxIterations = shared.maxIterations } = control;
  const node = graph.plan.nodes[token.at] as PlanNode;
  if (holds(fold, control.until, token, node)) {
    loops.set(control.loop, done);
    return control.exit;
  }
  const isOver = maxIterations > 0 && done >= maxIterations;
  if (isOver && control.maxIterations === undefined && !shared.leavesLoopsAtLimit) {
    // Recorded iterations ran while the limit was higher.
    if (!recorder.hasOutcomesIn(token.branch.path)) throw loopLimitReached(control.loop, maxIterations);
  } else if (isOver) {
    loops.set(control.loop, done);
    applyUpdate(run, token, { maxIterationsReached: true }, lastUpdatedMs(token.state));
    return control.exit;
  }
  loops.set(control.loop, done);
  return control.body;
}

let lastText: unknown;
let lastMs = 0;

/** Nothing was recorded that could give the time, so the state keeps the one it has. */
export function lastUpdatedMs(state: Readonly<AnyState>): number {
  const text = state["lastUpdated"];
  // All items of a list ask with the same one.
  if (text !== lastText) {
    const ms = Date.parse(String(text));
    lastText = text;
    lastMs = Number.isNaN(ms) ? 0 : ms;
  }
  return lastMs;
}

export function holds(fold: StateFold, condition: Condition, token: Token, node: PlanNode): boolean {
  try {
    return condition(fold.view(token.state));
  } catch (thrown) {
    throw new AtomicError("NODE_FAILED", `A condition after node "${node.id}" threw: ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
}
