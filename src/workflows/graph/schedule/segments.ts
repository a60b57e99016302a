// The changes of branches, in declaration order: the pure part of a join.

import { AtomicError, messageOf } from "../../../lib/errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { toJson } from "../../../lib/json.ts";
import { viewOfRecord } from "../../../lib/json-view.ts";
import { expectDefined } from "../../../lib/expect.ts";
import type { Delta, StateFold, WriteConflict } from "../model/fold.ts";
import { emptyDelta } from "../model/fold.ts";
import { passedBelow } from "./passed-forks.ts";
import type { Fork, BranchContext, BranchSegment, Token } from "./token.ts";
import { compareOrder, isUnder, ownSegment } from "./token.ts";
import { Visits } from "./visits.ts";

export function deltasOf(segments: readonly BranchSegment[]): Delta[] {
  return segments.map((segment) => segment.delta);
}

/** Each stretch once, in declaration order. */
export function inOrder(segments: Iterable<BranchSegment>): BranchSegment[] {
  return [...new Set(segments)].sort(byOrder);
}

function byOrder(a: BranchSegment, b: BranchSegment): number {
  return compareOrder(a.order, b.order);
}

/** What the tokens changed since the fork. */
export function changedSince(fork: Fork, tokens: readonly Token[]): BranchSegment[] {
  const start = fork.branch.segments.length;
  // One each: they are their tokens' own, and nothing can be there twice.
  if (tokens.every(({ branch }) => branch.segments.length === start + 1)) {
    const changed = tokens.map(({ branch }) => branch.segments[start] as BranchSegment);
    return isSorted(changed, byOrder) ? changed : changed.sort(byOrder);
  }
  // What was before the fork comes first in the list of each of its branches.
  return inOrder(tokens.flatMap(({ branch }) => branch.segments.slice(start)));
}

/** Branches mostly arrive in declaration order, and checking is cheaper than sorting a sorted list. */
function isSorted<T>(items: readonly T[], compare: (a: T, b: T) => number): boolean {
  for (let i = 1; i < items.length; i++) if (compare(items[i - 1] as T, items[i] as T) > 0) return false;
  return true;
}

export function sortTokens(tokens: Token[]): Token[] {
  return isSorted(tokens, compareTokens) ? tokens : tokens.sort(compareTokens);
}

export function compareTokens(a: Token, b: Token): number {
  return compareOrder(ownSegment(a.branch)?.order ?? [], ownSegment(b.branch)?.order ?? []);
}

/** Which branches of the fork the token stands for. */
export function branchesUnder(token: Token, fork: Fork): readonly number[] {
  let { branch } = token;
  while (branch.fork !== undefined && branch.fork !== fork) branch = branch.fork.branch;
  return branch.branches;
}

export function isSameBranch(token: Token, other: Token, fork: Fork): boolean {
  if (!isUnder(token, fork)) return false;
  const branches = branchesUnder(other, fork);
  return branchesUnder(token, fork).some((branch) => branches.includes(branch));
}

/** The update that a parallel node's own `merge` makes of its branches. */
function mergeByAuthor(fold: StateFold, fork: Fork, changed: readonly BranchSegment[], nodeId: string): JsonObject {
  const depth = ownSegment(fork.branch)?.order.length ?? 0;
  const results = new Map<string, Record<string, unknown>>();
  fork.names.forEach((name, branch) => {
    const segments = changed.filter((segment) => segment.order[depth] === branch);
    if (segments.length > 0) results.set(name, viewOfRecord(fold.toUpdate(deltasOf(segments))));
  });
  const source = `merge of parallel node "${nodeId}"`;
  let update: unknown;
  try {
    update = fork.spec?.merge?.(results, fold.view(fork.base)) ?? {};
  } catch (thrown) {
    throw new AtomicError("NODE_FAILED", `The ${source} threw: ${messageOf(thrown)}`, { cause: thrown });
  }
  return toJson(update, { source, path: "update", isRecord: true }) as JsonObject;
}

/** The context of the tokens once they continue as one branch of their fork, while other branches go another way. */
export function mergedContext(fork: Fork, tokens: readonly Token[], changed: readonly BranchSegment[]): BranchContext {
  const last = expectDefined(changed[changed.length - 1], "a branch has a segment");
  const names = tokens.map((token) => token.branch.path.slice(fork.key.length + 1, -1).replaceAll("/", "~"));
  return {
    path: `${fork.key}/${names.join("+")}/`,
    visits: new Visits(),
    loops: new Map(),
    segments: [...fork.branch.segments, ...changed, { order: [...last.order, 0], delta: emptyDelta() }],
    fork,
    passed: passedBelow(fork, tokens),
    holders: 0,
    branches: [...new Set(tokens.flatMap((token) => branchesUnder(token, fork)))],
  };
}

/** Their failure; of several, that of the branch that was declared first. */
export function firstCaught(tokens: readonly Token[]): Token["caught"] {
  for (const { caught } of tokens) if (caught !== undefined) return caught;
  return undefined;
}

/**
 * The branches of the fork have met: what they changed becomes part of the token that continues from there. Returns
 * what is lost by that.
 */
export function foldBranches(
  fold: StateFold,
  token: Token,
  fork: Fork,
  changed: readonly BranchSegment[],
  nodeId: string,
): readonly WriteConflict[] {
  const own = ownSegment(fork.branch);
  // An author's merge counts on every branch; where one failed, what the others changed is folded without it.
  if (fork.spec?.merge !== undefined && token.caught === undefined) {
    const update = mergeByAuthor(fold, fork, changed, nodeId);
    const at = changed.reduce((newest, segment) => Math.max(newest, segment.delta.at), 0);
    token.state = fold.apply(fork.base, update, at);
    if (own !== undefined) fold.collect(own.delta, update, at, nodeId);
    return [];
  }
  const deltas = deltasOf(changed);
  const conflicts = fold.conflicts(areBranches(changed, own) ? deltas : []);
  // The branch around this fork may continue to its own join, where its state is not read.
  if (own !== undefined && fold.areSimple(deltas, fork.base)) token.foldAllLater(fold, deltas);
  else token.state = fold.applyAll(fork.base, deltas);
  if (own !== undefined) fold.absorb(own.delta, deltas);
  return conflicts;
}

/** One stretch per branch: none of them saw what another one changed. */
function areBranches(changed: readonly BranchSegment[], around: BranchSegment | undefined): boolean {
  const depth = (around?.order.length ?? 0) + 1;
  return changed.every(({ order }) => order.length === depth);
}
