// The end of a visit: records it, folds it and says where to go, for what happens now and for what was recorded.
// Nothing in here may await: between the record and the move no snapshot may come.

import { AtomicError } from "../../../lib/errors.ts";
import { expectDefined } from "../../../lib/expect.ts";
import { toJson } from "../../../lib/json.ts";
import { applyUpdate } from "../schedule/apply-update.ts";
import type { Outcome } from "./attempts.ts";
import { toErrorRecord } from "./attempts.ts";
import type { NodeFailure } from "../model/node.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { RecordedOutcome } from "../record/recorded-outcome.ts";
import type { RunHost } from "./run-host.ts";
import type { Fork, Token } from "../schedule/token.ts";

/** Where the token goes: along its edges, to a node, or nowhere because its branch was given up. */
export type Move =
  | { readonly kind: "edges" }
  | { readonly kind: "goto"; readonly target: number }
  | { readonly kind: "lost"; readonly fork: Fork; readonly error: Error };

export const alongEdges: Move = { kind: "edges" };

export function settleOutcome(run: RunHost, token: Token, node: PlanNode, outcome: Outcome): Move {
  token.failure = undefined;
  if (outcome.kind === "failed") return settleFailure(run, token, node, outcome);
  const { update, goto } = outcome;
  const move = goto === undefined ? alongEdges : moveTo(run, goto, node, token);
  const { recorder } = run;
  if (recorder.isOn) {
    const at = recordDone(run, token, node, outcome);
    if (update !== undefined) applyUpdate(run, token, update, at);
  } else if (update !== undefined) {
    applyUpdate(run, token, update, run.control.runtime.clock.now());
  }
  return move;
}

function recordDone(
  run: RunHost,
  token: Token,
  node: PlanNode,
  { attempt, update, goto }: Extract<Outcome, { kind: "done" }>,
): number {
  const key = token.keyOf(node.keyPart);
  run.closeVisit(key);
  run.noteProgress();
  return run.recorder.emit({
    type: "node.finished",
    key,
    node: node.id,
    visit: token.visit,
    attempt,
    ...(update === undefined ? undefined : { update }),
    ...(goto === undefined ? undefined : { goto }),
  });
}

function settleFailure(
  run: RunHost,
  token: Token,
  node: PlanNode,
  outcome: Extract<Outcome, { kind: "failed" }>,
): Move {
  const { attempt } = outcome;
  const { recorder, control } = run;
  const key = token.keyOf(node.keyPart);
  const error = toErrorRecord(outcome.error, control.runtime.redact);
  const failed = { type: "node.failed", key, node: node.id, visit: token.visit, attempt, error } as const;
  const lostIn = outcome.handled === undefined && !isCaughtInBranch(run, node) ? anyForkOf(token) : undefined;
  if (lostIn !== undefined) {
    run.closeVisit(key);
    recorder.emit({ ...failed, lost: true });
    return { kind: "lost", fork: lostIn, error: outcome.error };
  }
  const join = outcome.handled === undefined ? joinBeforeCatch(run, token, node) : undefined;
  if (join !== undefined) {
    run.closeVisit(key);
    recorder.emit({ ...failed, caught: true });
    token.caught = nodeFailure(node, error);
    return { kind: "goto", target: join };
  }
  const route = outcome.handled ?? catchRoute(run, node);
  if (route === undefined) {
    recorder.emit(failed);
    throw outcome.error;
  }
  run.closeVisit(key);
  const { goto, update } = route;
  const move = goto === undefined ? alongEdges : moveTo(run, goto, node, token);
  const at = recorder.emit({
    ...failed,
    ...(update === undefined ? undefined : { update }),
    ...(goto === undefined ? undefined : { goto }),
  });
  if (update !== undefined) applyUpdate(run, token, update, at);
  if (goto !== undefined) token.failure = nodeFailure(node, error);
  return move;
}

export function nodeFailure(
  node: PlanNode,
  { message, code }: { message: string; code?: string | undefined },
): NodeFailure {
  return Object.freeze({ node: node.id, message, code });
}

/**
 * Where a branch ends whose failure is left to the graph's catch: the catch runs once, when all branches have come to
 * where they meet. Undefined outside parallel nodes, and where the branch has left the one that it came from.
 */
export function joinBeforeCatch(run: RunHost, token: Token, node: PlanNode): number | undefined {
  if (run.control.catchesInBranches || catchRoute(run, node) === undefined) return undefined;
  for (let { fork } = token.branch; fork !== undefined; fork = fork.branch.fork) {
    const { joinNode } = fork;
    if (joinNode === undefined || joinNode === node.index) continue;
    // Others wait there only for those that may still come.
    return fork.cuts.reachersOf(joinNode).has(node.index) ? joinNode : undefined;
  }
  return undefined;
}

/** Where the token goes from the end of a parallel node in which something failed. */
export function leaveFailed(run: RunHost, token: Token, join: PlanNode): string | undefined {
  if (token.caught === undefined) return undefined;
  const outer = joinBeforeCatch(run, token, join);
  if (outer !== undefined) return (run.graph.plan.nodes[outer] as PlanNode).id;
  token.failure = token.caught;
  token.caught = undefined;
  return catchRoute(run, join)?.goto;
}

/** As in runs of earlier versions. */
export function isCaughtInBranch(run: RunHost, node: PlanNode): boolean {
  return run.control.catchesInBranches && catchRoute(run, node) !== undefined;
}

/** The graph's own `catch`, except for what fails in there. */
export function catchRoute(run: RunHost, node: PlanNode): { goto: string; update?: undefined } | undefined {
  const { errorNode, nodes } = run.graph.plan;
  if (errorNode === undefined || errorNode === node.index) return undefined;
  return { goto: (nodes[errorNode] as PlanNode).id };
}

export function settleRecorded(run: RunHost, token: Token, node: PlanNode, recorded: RecordedOutcome): Move {
  token.failure = undefined;
  // Steps inside it were counted when they were done, and are not replayed one by one.
  run.control.steps += run.closeVisit(token.keyOf(node.keyPart));
  if (recorded.isLost) {
    const fork = expectDefined(anyForkOf(token), "a lost branch is in a parallel node");
    return { kind: "lost", fork, error: new Error(recorded.failure?.message ?? "failed") };
  }
  if (recorded.isCaught) {
    token.caught = nodeFailure(node, recorded.failure ?? { message: "failed" });
    return { kind: "goto", target: expectDefined(joinBeforeCatch(run, token, node), "a failed branch has a join") };
  }
  if (recorded.update !== undefined) {
    // Read back, so not frozen yet; it was checked when it was recorded.
    const source = `the record of node "${node.id}"`;
    const { isStrict } = run.control.runtime;
    const update = toJson(recorded.update, { source, path: "update", isRecord: true, freezeArrays: isStrict });
    applyUpdate(run, token, update, recorded.at);
  }
  if (recorded.goto === undefined) return alongEdges;
  const { failure } = recorded;
  if (failure !== undefined) token.failure = nodeFailure(node, failure);
  return moveTo(run, recorded.goto, node);
}

/** `token` is given for what a body or a handler chose: in a branch it must be a way that the graph knows of. */
export function moveTo(run: RunHost, id: string, from: PlanNode, token?: Token): Extract<Move, { kind: "goto" }> {
  return { kind: "goto", target: gotoTarget(run, id, from, token) };
}

/** The same as an index in the plan. */
export function gotoTarget(run: RunHost, id: string, from: PlanNode, token?: Token): number {
  const { plan } = run.graph;
  const target = plan.indexOf(id);
  if (target === undefined) {
    throw new AtomicError("ROUTE_UNKNOWN", `Node "${from.id}" goes to "${id}", and the graph has no such node.`, {
      details: { node: from.id, target: id },
    });
  }
  // Other branches may have stopped waiting for it there: whether they had would depend on timing.
  if (token?.branch.fork !== undefined && target !== plan.errorNode && !from.successors.includes(target)) {
    throw new AtomicError(
      "ROUTE_UNKNOWN",
      `Node "${from.id}" goes to "${id}" from inside a branch, and nothing says that it may: list "${id}" in its \`targets\`, so that other branches know whom to wait for.`,
      { details: { node: from.id, target: id } },
    );
  }
  return target;
}

/** The nearest parallel node around the token that can do without this branch. */
export function anyForkOf(token: Token): Fork | undefined {
  for (let fork = token.branch.fork; fork !== undefined; fork = fork.branch.fork) {
    if (fork.spec?.strategy === "any") return fork;
  }
  return undefined;
}

/** The result of a parallel node that could do without some of its branches, and lost them all. */
export function everyBranchFailed(parallel: PlanNode, { failures }: Fork): AtomicError {
  const reasons = failures.map((failure) => failure.message).join("; ");
  return new AtomicError("NODE_FAILED", `Every branch of "${parallel.id}" failed: ${reasons}`, { cause: failures });
}
