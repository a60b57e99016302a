// Tokens: the current positions of a run. A run has one until it forks; each branch then has its own, with its own view
// of the state. This file owns the data; forks, joins and their order are in branch-scheduler.ts, running is in
// graph-run.ts.

import type { JsonObject } from "../../../lib/json.ts";
import type { Delta, StateFold, StateValue } from "../model/fold.ts";
import { stepKey } from "../model/key.ts";
import type { NodeFailure, ParallelSpec } from "../model/node.ts";
import type { GraphPlan, PlanNode } from "../compile/plan.ts";
import type { Cuts } from "../compile/reach.ts";
import { Visits } from "./visits.ts";

/** What one stretch of a branch changed, and its position among all stretches when they are folded together. */
export interface BranchSegment {
  /** Compared item by item; a list comes before its extensions. Declaration order, whatever finished first. */
  readonly order: readonly number[];
  readonly delta: Delta;
}

/** A token's branch, apart from its position: restored when the branches it forked into have met again. */
export interface BranchContext {
  /** The prefix of its keys. */
  readonly path: string;
  readonly visits: Visits;
  /** Iterations of the loops it is in; made when it comes to the first. */
  loops: Map<string, number> | undefined;
  /** All stretches since the run last had a single token, its own last; empty while there is only one token. */
  readonly segments: readonly BranchSegment[];
  readonly fork: Fork | undefined;
  /** Which branches of `fork` it stands for. */
  readonly branches: readonly number[];
  /** Open forks around it whose nodes it has reached again. It no longer joins the other branches of those forks. */
  passed: readonly Fork[];
  /** Tokens at or below this branch that hold its slot in `fork`. */
  holders: number;
}

export interface Fork {
  /** The visit that forked. */
  readonly key: string;
  readonly node: number;
  readonly spec: ParallelSpec<Record<string, unknown>> | undefined;
  /** Where the branches of a parallel node meet. */
  readonly joinNode: number | undefined;
  readonly names: readonly string[];
  readonly branch: BranchContext;
  /** Where it and the forks around it happened; and how many those are. */
  readonly cuts: Cuts;
  readonly depth: number;
  /** Its branches can go nowhere but to where they meet. */
  readonly isSealed: boolean;
  /** Those of its branches that wait for all others. */
  group: ParkedGroup | undefined;
  /** The state at the fork. */
  readonly base: StateValue;
  /** Tokens below it that are still on their way. */
  live: number;
  /** Tokens below it that ended, failed or were dropped instead of joining. */
  lost: number;
  readonly failures: Error[];
  freeSlots: number;
  readonly queue: Token[];
  /** Tokens of the queue before this place have left it. */
  begun: number;
}

/** Tokens that stand before one node, until no other can come. */
export interface ParkedGroup {
  readonly node: number;
  readonly tokens: Token[];
  /** One token of each fork, and all that have passed one: the others are like one of these. */
  kinds: Token[];
  /** It waits for this one, which may come. */
  blocker: Token | undefined;
  /** It waits for all branches of this fork: none can go anywhere else. */
  waitsFor: Fork | undefined;
  /** Where in the list of nodes that reach `node` the blocker was found. */
  cursor: number;
}

/** What a new branch has passed. Shared: a list per branch would be garbage at once. */
export const noneYet: readonly Fork[] = [];

const noSegments: readonly BranchSegment[] = [];
const noBranches: readonly number[] = [];

export type TokenPhase = "queued" | "moving" | "parked" | "over";

/** A token moving through nodes, until it waits or ends. */
export interface Walk {
  hasLeft: boolean;
}

export class Token {
  readonly branch: BranchContext;
  at: number;
  /** The number of this visit of `at` in its branch. */
  visit = 0;
  phase: TokenPhase = "moving";
  /** The node under which others find it; kept by tokens-at-nodes.ts. */
  standsAt: number | undefined = undefined;
  /** Set while it stands at the node that an error was routed to. */
  failure: NodeFailure | undefined = undefined;
  /** What failed in its branches, from there until it stands outside all parallel nodes: then it goes to the catch. */
  caught: NodeFailure | undefined = undefined;
  holdsSlot = false;
  /** What runs for it now: the run knows how to stop it. */
  running: object | undefined = undefined;
  /** The newest one: a token that waited and continues has another. */
  walk: Walk | undefined = undefined;
  /** It ended because it lost a race: whatever its body still throws is ignored. */
  isDropped = false;
  #state: StateValue;
  /** An update that `#state` does not have yet; or what branches changed, that it does not have yet. */
  #late: JsonObject | undefined = undefined;
  #lateDeltas: readonly Delta[] | undefined = undefined;
  #lateFold: StateFold | undefined = undefined;
  #lateAt = 0;
  #key = "";
  #keyVisit = -1;
  #keyAt = -1;

  constructor(branch: BranchContext, at: number, state: StateValue) {
    this.branch = branch;
    this.at = at;
    this.#state = state;
  }

  /**
   * The key of the visit that it is on, of the node that is called so in keys. Made once, and asked for a few times.
   */
  keyOf(part: string): string {
    if (this.#keyVisit !== this.visit || this.#keyAt !== this.at) {
      this.#keyVisit = this.visit;
      this.#keyAt = this.at;
      this.#key = stepKey(this.branch.path, part, this.visit);
    }
    return this.#key;
  }

  /** Its own view: the state at the fork, and what its branch changed since. */
  get state(): StateValue {
    if (this.#lateDeltas !== undefined) {
      this.#state = (this.#lateFold as StateFold).applyAll(this.#state, this.#lateDeltas);
      this.#lateDeltas = undefined;
    }
    if (this.#late !== undefined) {
      this.#state = (this.#lateFold as StateFold).apply(this.#state, this.#late, this.#lateAt);
      this.#late = undefined;
    }
    return this.#state;
  }

  /** The state without what is still to be folded into it. Its values are of the same kinds. */
  get foldedState(): StateValue {
    return this.#state;
  }

  set state(state: StateValue) {
    this.#state = state;
    this.#late = undefined;
    this.#lateDeltas = undefined;
  }

  /** The same as setting the state with the update folded in, but only when it is read. */
  foldLater(fold: StateFold, update: JsonObject, at: number): void {
    if (this.#late !== undefined) this.#state = this.state;
    this.#late = update;
    this.#lateFold = fold;
    this.#lateAt = at;
  }

  /** The same for what branches changed since the state that it has. */
  foldAllLater(fold: StateFold, deltas: readonly Delta[]): void {
    this.#state = this.state;
    this.#lateDeltas = deltas;
    this.#lateFold = fold;
  }
}

/** The branch of the one token that a graph starts with. */
export function rootContext(path: string): BranchContext {
  return {
    path,
    visits: new Visits(),
    loops: undefined,
    segments: noSegments,
    fork: undefined,
    branches: noBranches,
    passed: noneYet,
    holders: 0,
  };
}

/** The parts of a fork that follow from its node and branch. */
export function forkAt(
  plan: GraphPlan,
  node: PlanNode,
  branch: BranchContext,
): Pick<Fork, "node" | "spec" | "joinNode" | "branch" | "cuts" | "depth" | "isSealed"> {
  return {
    node: node.index,
    spec: node.parallel,
    joinNode: node.joinNode,
    branch,
    cuts: (branch.fork?.cuts ?? plan.noCuts).with(node.index),
    depth: (branch.fork?.depth ?? 0) + 1,
    isSealed: plan.isSealed(node),
  };
}

/** A fork that happens now. Its branches are added by the scheduler. */
export function openFork(plan: GraphPlan, node: PlanNode, branch: BranchContext, key: string, base: StateValue): Fork {
  const at = forkAt(plan, node, branch);
  // Field by field: a spread in the middle of an object is slow on Node, and branches in branches are mostly forks.
  return {
    key,
    node: at.node,
    spec: at.spec,
    joinNode: at.joinNode,
    names: node.branchNames,
    branch,
    cuts: at.cuts,
    depth: at.depth,
    isSealed: at.isSealed,
    group: undefined,
    base,
    live: 0,
    lost: 0,
    failures: [],
    freeSlots: node.parallel?.concurrency ?? node.next.length,
    queue: [],
    begun: 0,
  };
}

export function ownSegment(branch: BranchContext): BranchSegment | undefined {
  // The place before the first one would be looked up as a property by name, which costs more than the whole call.
  return branch.segments.length === 0 ? undefined : branch.segments[branch.segments.length - 1];
}

export function compareOrder(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function isUnder(token: Token, fork: Fork): boolean {
  for (let at: Fork | undefined = token.branch.fork; at !== undefined; at = at.branch.fork)
    if (at === fork) return true;
  return false;
}

/** The race that ends in this node, if the token takes part in one. */
export function racingFork(token: Token, node: number): Fork | undefined {
  for (let { fork } = token.branch; fork !== undefined; fork = fork.branch.fork) {
    if (fork.joinNode === node) return fork.spec?.strategy === "all" ? undefined : fork;
  }
  return undefined;
}

/** The nearest fork that both came from; undefined only for tokens of different runs. */
export function commonFork(a: Token, b: Token): Fork | undefined {
  let one = a.branch.fork;
  let other = b.branch.fork;
  while (one !== other) {
    if (one === undefined || other === undefined) return undefined;
    if (one.depth >= other.depth) one = one.branch.fork;
    else other = other.branch.fork;
  }
  return one;
}
