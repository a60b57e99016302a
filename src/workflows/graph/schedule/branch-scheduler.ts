// Forks and joins. Owns which tokens there are, and when those that meet continue as one; leaves running nodes to
// graph-run.ts. Everything here depends only on where tokens are, never on when they arrived, so that the same recorded
// outcomes always give the same branches, keys and merges.
//
// A token that reaches a node with several incoming edges waits there while another token may still arrive (without
// passing the fork they both come from). When none can, those that wait merge, in declaration order, and continue as
// one. A fork is over when all its branches are in one group: then the token from before the fork continues.

import { AtomicError } from "../../../lib/errors.ts";
import { expectDefined } from "../../../lib/expect.ts";
import type { StateFold, StateValue, WriteConflict } from "../model/fold.ts";
import { emptyDelta } from "../model/fold.ts";
import { ParkedGroups } from "./parked-groups.ts";
import { notePassing, takeOverPassed } from "./passed-forks.ts";
import type { GraphPlan, PlanNode } from "../compile/plan.ts";
import {
  branchesUnder,
  changedSince,
  deltasOf,
  firstCaught,
  foldBranches,
  inOrder,
  isSameBranch,
  mergedContext,
} from "./segments.ts";
import { giveUpSlot, takeSlot } from "./branch-slots.ts";
import type { Fork, ParkedGroup, BranchContext, BranchSegment } from "./token.ts";
import { commonFork, isUnder, noneYet, openFork, ownSegment, racingFork, Token } from "./token.ts";
import { Visits } from "./visits.ts";

/** What the scheduler asks of the run: to run a token from where it stands. */
export interface SchedulerHost {
  start(token: Token): void;
  /** The token is dropped: what still runs for it is stopped, and no longer awaited. */
  abandon(token: Token, reason: Error): void;
  /** The first branch to come wins, unless the record names another. */
  chooseWinner(fork: Fork, branch: number): boolean;
  /** Branches of the node wrote a key that keeps only one of their values. */
  warnOfConflict(node: string, conflict: WriteConflict): void;
}

export class BranchScheduler {
  readonly #plan: GraphPlan;
  readonly #fold: StateFold;
  readonly #host: SchedulerHost;
  /** Every token, in order of creation; finished ones are swept out. */
  #all: Token[] = [];
  #live = 0;
  /** Created at the first fork: most nested graphs have none. */
  #parkedGroups: ParkedGroups | undefined;
  /** What ended branches changed; folded when the run ends. */
  #ended: BranchSegment[] = [];
  /** The state when the run last stood as one. */
  #base: StateValue;
  #isSettling = false;
  #isRestored = false;

  constructor(plan: GraphPlan, fold: StateFold, host: SchedulerHost, base: StateValue) {
    this.#plan = plan;
    this.#fold = fold;
    this.#host = host;
    this.#base = base;
  }

  get #parked(): ParkedGroups {
    return (this.#parkedGroups ??= new ParkedGroups(this.#plan, this.#isRestored));
  }

  get tokens(): readonly Token[] {
    return this.#all.filter((token) => token.phase !== "over");
  }

  get live(): number {
    return this.#live;
  }

  get base(): StateValue {
    return this.#base;
  }

  get ended(): readonly BranchSegment[] {
    return this.#ended;
  }

  add(token: Token): void {
    this.#all.push(token);
    this.#live++;
    if (token.branch.fork !== undefined) this.#parked.moved(token);
  }

  /** Restores a snapshot; `resume` starts it. */
  restore(tokens: readonly Token[], ended: readonly BranchSegment[]): void {
    this.#isRestored = true;
    for (const token of tokens) {
      this.add(token);
      if (token.holdsSlot) {
        token.holdsSlot = false;
        takeSlot(token);
      }
      if (token.phase === "parked") this.#parked.park(token, token.at);
      else if (token.phase === "queued") token.branch.fork?.queue.push(token);
    }
    this.#ended = [...ended];
  }

  resume(): void {
    // A copy: one that starts may let another begin, which then moves already.
    const moving = this.tokens.filter((token) => token.phase === "moving");
    for (const token of moving) if (token.phase === "moving") this.#host.start(token);
    for (const { phase, branch } of this.tokens) if (phase === "queued" && branch.fork) this.startQueued(branch.fork);
    this.settle();
  }

  // ---- moving

  /** The token goes to `target`. True: it may run there now. */
  arrive(token: Token, target: number): boolean {
    const fork = token.branch.fork;
    if (fork === undefined) {
      this.#enter(token, target);
      return true;
    }
    const node = this.#node(target);
    if (node.predecessors.length < 2 && fork.joinNode !== target) {
      this.#enter(token, target);
      if (this.#parked.moved(token)) this.settle();
      return true;
    }
    const racing = racingFork(token, target);
    if (racing !== undefined) return this.#arriveInRace(token, target, racing);
    this.#parked.park(token, target);
    this.settle();
    // A token that joins at once passes its slot on instead.
    if (token.phase === "parked") this.releaseSlot(token);
    return false;
  }

  #enter(token: Token, target: number): void {
    token.at = target;
    token.visit = token.branch.visits.enter(target);
    notePassing(token.branch, target);
  }

  /** One branch for each of the node's edges. */
  fork(token: Token, node: PlanNode): void {
    const { branch, state } = token;
    const { next, branchParts } = node;
    const key = token.keyOf(node.keyPart);
    const order = ownSegment(branch)?.order;
    if (order === undefined) this.#base = state;
    const fork = openFork(this.#plan, node, branch, key, state);
    this.#over(token);
    for (let i = 0; i < next.length; i++) {
      // Not spread: V8 would make room for sixteen more items, in two lists for each of thousands of branches.
      const segment: BranchSegment = { order: order === undefined ? [i] : order.concat(i), delta: emptyDelta() };
      const own: BranchContext = {
        path: `${key}/${branchParts[i] as string}/`,
        visits: new Visits(),
        loops: undefined,
        segments: order === undefined ? [segment] : branch.segments.concat(segment),
        fork,
        branches: [i],
        passed: noneYet,
        holders: 0,
      };
      const child = new Token(own, next[i] as number, state);
      child.phase = "queued";
      this.add(child);
      fork.queue.push(child);
    }
    fork.live = next.length;
    // In the forks around it they stand for the token that forked.
    for (let outer = branch.fork; outer !== undefined; outer = outer.branch.fork) outer.live += next.length - 1;
    this.startQueued(fork);
    // Only now, so that the branch around the fork keeps its slot while one below it runs.
    this.releaseSlot(token);
    this.settle();
  }

  /** Lets waiting branches start while there is room. */
  startQueued(fork: Fork): void {
    while (fork.freeSlots > 0 && fork.begun < fork.queue.length) {
      const token = fork.queue[fork.begun++] as Token;
      if (token.phase !== "queued") continue;
      token.phase = "moving";
      takeSlot(token);
      // A branch may begin in the very node where it meets the others.
      if (this.arrive(token, token.at)) this.#host.start(token);
    }
  }

  /** A branch that waits, joins or ends makes room for the next one. */
  releaseSlot(token: Token): void {
    for (const fork of giveUpSlot(token)) this.startQueued(fork);
  }

  /** The token has nowhere to go. */
  end(token: Token): void {
    this.#ended.push(...token.branch.segments);
    this.#leave(token);
    for (let at = token.branch.fork; at !== undefined; at = at.branch.fork) at.lost++;
    this.settle();
  }

  /** The token's branch failed, and its fork can do without it. True when no branch is left. */
  lose(token: Token, fork: Fork, error: Error): boolean {
    fork.failures.push(error);
    this.#dropAll(this.tokens.filter((other) => isSameBranch(other, token, fork)));
    this.settle();
    return fork.live === 0;
  }

  /** Restores the token from before the fork, for a fork without a result. */
  reopen(fork: Fork): Token {
    const token = new Token(fork.branch, fork.node, fork.base);
    token.visit = fork.branch.visits.of(fork.node);
    this.#adopt(token);
    return token;
  }

  /** The final state, once every token has ended. */
  finalState(last: Token): StateValue {
    if (last.branch.segments.length === 0) return last.state;
    return this.#fold.applyAll(this.#base, deltasOf(inOrder(this.#ended)));
  }

  /** The state so far, for readers before the run's end. */
  stateSoFar(): StateValue {
    const { tokens } = this;
    if (tokens.length === 1 && tokens[0]?.branch.segments.length === 0) return tokens[0].state;
    const segments = [...this.#ended, ...tokens.flatMap((token) => token.branch.segments)];
    return this.#fold.applyAll(this.#base, deltasOf(inOrder(segments)));
  }

  /** Brings the state to another version. Changes of branches can't be: they are only parts of a state. */
  migrate(change: (state: StateValue) => StateValue): void {
    const { tokens } = this;
    const only = tokens[0];
    if (only === undefined || tokens.length > 1 || only.branch.segments.length > 0) {
      throw new AtomicError(
        "STATE_VERSION",
        "The run stopped in the middle of parallel branches, whose changes can't be moved to another state version. Finish it with the old workflow.",
      );
    }
    only.state = change(only.state);
  }

  // ---- joining

  /** Lets every group continue that no other token can join. */
  settle(): void {
    if (this.#isSettling || this.#parkedGroups === undefined) return;
    this.#isSettling = true;
    try {
      while (this.#parked.size > 0) {
        const ready = this.#parked.findReady();
        // All wait, each for another: one has to go first.
        if (ready === undefined && this.#parked.size < this.#live) return;
        this.#release(ready ?? this.#parked.first());
      }
    } finally {
      this.#isSettling = false;
    }
  }

  #release(group: ParkedGroup): void {
    const tokens = this.#parked.take(group);
    const merged = this.#merge(tokens, group.node);
    if (tokens.some((token) => token.holdsSlot)) takeSlot(merged);
    this.#enter(merged, group.node);
    merged.phase = "moving";
    for (const token of tokens) if (token !== merged) this.releaseSlot(token);
    if (merged.branch.fork !== undefined) this.#parked.moved(merged);
    this.#host.start(merged);
  }

  #merge(tokens: readonly Token[], node: number): Token {
    const first = expectDefined(tokens[0], "a group has tokens");
    let fork = first.branch.fork;
    for (const token of tokens) if (fork !== undefined && !isUnder(token, fork)) fork = commonFork(first, token);
    // No token outside the fork is in the group, so all that the group changed was since the fork.
    while (fork !== undefined && tokens.some((token) => !isUnder(token, fork as Fork))) fork = fork.branch.fork;
    if (fork === undefined) return first;
    if (!this.#closes(fork, tokens, node)) return tokens.length === 1 ? first : this.#mergeSome(fork, tokens);
    let token = this.#close(fork, tokens);
    // A parallel node with one branch, around this fork, may end here too.
    while (token.branch.fork !== undefined && this.#closes(token.branch.fork, [token], node)) {
      token = this.#close(token.branch.fork, [token]);
    }
    return token;
  }

  #closes(fork: Fork, tokens: readonly Token[], node: number): boolean {
    if (fork.joinNode !== undefined && fork.joinNode !== node) return false;
    return fork.live === tokens.length && fork.lost === 0;
  }

  /** All branches have met: the token from before the fork continues with what they changed. */
  #close(fork: Fork, tokens: readonly Token[]): Token {
    const changed = changedSince(fork, tokens);
    const token = new Token(fork.branch, fork.node, fork.base);
    for (const merged of tokens) this.#over(merged);
    for (let at: Fork | undefined = fork; at !== undefined; at = at.branch.fork) at.live -= tokens.length;
    this.#adopt(token);
    takeOverPassed(fork, tokens);
    token.caught = firstCaught(tokens);
    const { id } = this.#node(fork.node);
    for (const conflict of foldBranches(this.#fold, token, fork, changed, id)) this.#host.warnOfConflict(id, conflict);
    if (ownSegment(fork.branch) === undefined) this.#base = token.state;
    return token;
  }

  /** Some branches have met, others go another way: these continue as one branch of the same fork. */
  #mergeSome(fork: Fork, tokens: readonly Token[]): Token {
    const changed = changedSince(fork, tokens);
    const branch = mergedContext(fork, tokens, changed);
    const merged = new Token(branch, fork.node, this.#fold.applyAll(fork.base, deltasOf(changed)));
    merged.caught = firstCaught(tokens);
    for (const token of tokens) this.#over(token);
    for (let at: Fork | undefined = fork; at !== undefined; at = at.branch.fork) at.live -= tokens.length;
    this.#adopt(merged);
    return merged;
  }

  // ---- races

  #arriveInRace(token: Token, target: number, fork: Fork): boolean {
    token.at = target;
    if (!this.#host.chooseWinner(fork, expectDefined(branchesUnder(token, fork)[0], "a branch"))) {
      this.#drop(token);
      this.settle();
      return false;
    }
    this.#dropAll(this.tokens.filter((other) => other !== token && isUnder(other, fork)));
    const closed = this.#close(fork, [token]);
    takeSlot(closed);
    this.releaseSlot(token);
    this.#enter(closed, target);
    closed.phase = "moving";
    if (closed.branch.fork !== undefined) this.#parked.moved(closed);
    this.#host.start(closed);
    this.settle();
    return false;
  }

  // ---- bookkeeping

  /** Those that wait for their turn first: they must not get it when others make room. */
  #dropAll(tokens: readonly Token[]): void {
    for (const token of tokens) if (token.phase === "queued") this.#drop(token);
    for (const token of tokens) if (token.phase !== "over") this.#drop(token);
  }

  #drop(token: Token): void {
    if (token.phase === "parked") this.#parked.drop(token);
    this.#leave(token);
    token.isDropped = true;
    this.#host.abandon(token, new Error("another branch won"));
  }

  /** The token is over without having joined. */
  #leave(token: Token): void {
    this.#over(token);
    for (let at = token.branch.fork; at !== undefined; at = at.branch.fork) at.live--;
    this.#parkedGroups?.left(token);
    this.releaseSlot(token);
  }

  #over(token: Token): void {
    token.phase = "over";
    this.#live--;
    this.#parkedGroups?.over(token);
  }

  /** A token that takes the place of others. */
  #adopt(token: Token): void {
    for (let at = token.branch.fork; at !== undefined; at = at.branch.fork) at.live++;
    this.add(token);
    if (this.#all.length > 64 && this.#all.length > 2 * this.#live) {
      this.#all = this.#all.filter((other) => other.phase !== "over");
    }
  }

  #node(index: number): PlanNode {
    return expectDefined(this.#plan.nodes[index], "a planned node");
  }
}
