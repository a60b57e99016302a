// Routing that leaves no record: the builder's own nodes and the conditions of edges. All of it is pure, so it is
// evaluated again on resume.

import { AtomicError } from "../../lib/errors.ts";
import { applyUpdate } from "./apply-update.ts";
import type { CompiledGraph } from "./compiled-graph.ts";
import type { StateFold } from "./fold.ts";
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
      (token.seat.loops ??= new Map()).set(control.loop, 0);
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
  const loops = (token.seat.loops ??= new Map());
  const done = (loops.get(control.loop) ?? 0) + 1;
  loops.set(control.loop, done);
  const node = graph.plan.nodes[token.at] as PlanNode;
  if (holds(graph.fold, control.until, token, node)) return control.exit;
  if (control.maxIterations === 0 || done < control.maxIterations) return control.body;
  applyUpdate(graph, token, { maxIterationsReached: true }, lastUpdatedMs(token.state));
  return control.exit;
}

/** Nothing was recorded that could give the time, so the state keeps the one it has. */
export function lastUpdatedMs(state: Readonly<AnyState>): number {
  const ms = Date.parse(String(state["lastUpdated"]));
  return Number.isNaN(ms) ? 0 : ms;
}

export function holds(fold: StateFold, condition: Condition, token: Token, node: PlanNode): boolean {
  try {
    return condition(fold.view(token.state));
  } catch (thrown) {
    throw new AtomicError("NODE_FAILED", `A condition after node "${node.id}" threw: ${String(thrown)}`, {
      cause: thrown,
    });
  }
}

/** How often one node may be reached in one branch: the limit of declarative graphs, whose loops are plain edges. */
export function checkVisits(graph: CompiledGraph<AnyState>, token: Token, node: PlanNode): void {
  const { maxVisits = 0 } = graph.config;
  if (maxVisits <= 0 || token.visit <= maxVisits) return;
  throw new AtomicError(
    "STEP_LIMIT",
    `Node "${node.id}" was reached ${maxVisits} times and comes again: \`maxIterations\` of the graph is ${maxVisits}. Give the loop a way out, or raise it.`,
    { details: { node: node.id, maxIterations: maxVisits } },
  );
}
