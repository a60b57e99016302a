// The builder's own nodes: they route by pure conditions, so they are evaluated again on resume and leave no record.

import { AtomicError } from "../../lib/errors.ts";
import { applyUpdate } from "./apply-update.ts";
import type { CompiledGraph } from "./compiled-graph.ts";
import type { ControlSpec } from "./node.ts";
import type { Condition, PlanNode } from "./plan.ts";
import type { Token } from "./token.ts";

type AnyState = Record<string, unknown>;

/** Where to go, or undefined: along the edges. */
export function passControl(
  graph: CompiledGraph<AnyState>,
  token: Token,
  control: ControlSpec<AnyState>,
): string | undefined {
  switch (control.kind) {
    case "pass":
    case "join":
      return undefined;
    case "loop-entry":
      token.seat.loops.set(control.loop, 0);
      return undefined;
    case "loop-check":
      return checkLoop(graph, token, control);
  }
}

function checkLoop(
  graph: CompiledGraph<AnyState>,
  token: Token,
  control: Extract<ControlSpec<AnyState>, { kind: "loop-check" }>,
): string {
  const done = (token.seat.loops.get(control.loop) ?? 0) + 1;
  token.seat.loops.set(control.loop, done);
  const node = graph.plan.nodes[token.at] as PlanNode;
  if (holds(control.until, token, node)) return control.exit;
  if (control.maxIterations === 0 || done < control.maxIterations) return control.body;
  applyUpdate(graph, token, { maxIterationsReached: true }, lastUpdatedMs(token.state));
  return control.exit;
}

/** Nothing was recorded that could give the time, so the state keeps the one it has. */
export function lastUpdatedMs(state: Readonly<AnyState>): number {
  const ms = Date.parse(String(state["lastUpdated"]));
  return Number.isNaN(ms) ? 0 : ms;
}

export function holds(condition: Condition, token: Token, node: PlanNode): boolean {
  try {
    return condition(token.state);
  } catch (thrown) {
    throw new AtomicError("NODE_FAILED", `A condition after node "${node.id}" threw: ${String(thrown)}`, {
      cause: thrown,
    });
  }
}
