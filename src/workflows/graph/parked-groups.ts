// Tokens that wait before a node because others may still come. Remembers for each group one token that may, so that
// most moves of most tokens cost nothing: a group looks again only when that one moved or is over.

import { expectDefined } from "../../lib/expect.ts";
import { canMeet } from "./passed-forks.ts";
import type { GraphPlan } from "./plan.ts";
import { compareTokens, sortTokens } from "./segments.ts";
import type { Token } from "./token.ts";
import { commonFork } from "./token.ts";

/** Tokens that stand before one node, until nobody else can come. */
export interface ParkedGroup {
  readonly node: number;
  readonly tokens: Token[];
  /** One token of each fork, and all that have passed one: the others are like one of these. */
  kinds: Token[];
  blocker: Token | undefined;
  /** Tokens before this place in the list of all were looked at already. */
  scanned: number;
}

export class ParkedGroups {
  readonly #plan: GraphPlan;
  /** By node. Several groups may stand before one node that can't meet. */
  readonly #groups = new Map<number, ParkedGroup[]>();
  /** Which groups wait for a token. */
  readonly #blockedBy = new Map<Token, Set<ParkedGroup>>();
  #size = 0;

  constructor(plan: GraphPlan) {
    this.#plan = plan;
  }

  /** How many tokens are parked. */
  get size(): number {
    return this.#size;
  }

  park(token: Token, node: number): void {
    token.phase = "parked";
    token.at = node;
    this.#size++;
    const groups = this.#groups.get(node) ?? [];
    let joined: ParkedGroup | undefined;
    for (const group of groups) {
      if (!group.kinds.some((other) => canMeet(other, token))) continue;
      if (joined === undefined) joined = group;
      else this.#unite(joined, group);
    }
    if (joined === undefined) {
      this.#groups.set(node, [...groups, { node, tokens: [token], kinds: [token], blocker: undefined, scanned: 0 }]);
      return;
    }
    joined.tokens.push(token);
    if (addKind(joined.kinds, token)) joined.scanned = 0;
  }

  /** Two groups that could not meet, until somebody came who can meet both. */
  #unite(group: ParkedGroup, other: ParkedGroup): void {
    this.#remove(other);
    for (const token of other.tokens) group.tokens.push(token);
    for (const token of other.kinds) addKind(group.kinds, token);
    group.scanned = 0;
  }

  #remove(group: ParkedGroup): void {
    const left = (this.#groups.get(group.node) ?? []).filter((other) => other !== group);
    if (left.length === 0) this.#groups.delete(group.node);
    else this.#groups.set(group.node, left);
    if (group.blocker !== undefined) this.#blockedBy.get(group.blocker)?.delete(group);
  }

  /** The token is given up while it waits. */
  drop(token: Token): void {
    const group = this.#groups.get(token.at)?.find(({ tokens }) => tokens.includes(token));
    if (group === undefined) return;
    group.tokens.splice(group.tokens.indexOf(token), 1);
    this.#size--;
    group.kinds = [];
    for (const other of group.tokens) addKind(group.kinds, other);
    if (group.tokens.length === 0) this.#remove(group);
  }

  take(group: ParkedGroup): readonly Token[] {
    this.#remove(group);
    this.#size -= group.tokens.length;
    return sortTokens(group.tokens);
  }

  /** The token moved or is over. True: somebody waited for it, and has to look again. */
  moved(token: Token): boolean {
    if (this.#blockedBy.size === 0) return false;
    const waiting = this.#blockedBy.get(token);
    if (waiting === undefined) return false;
    this.#blockedBy.delete(token);
    for (const group of waiting) group.blocker = undefined;
    return true;
  }

  /** Look at everybody again: a token jumped, or the list of all was swept. */
  forgetScans(): void {
    for (const groups of this.#groups.values()) for (const group of groups) group.scanned = 0;
  }

  /** A group that nobody can join any more. */
  findReady(all: readonly Token[]): ParkedGroup | undefined {
    for (const groups of this.#groups.values()) {
      for (const group of groups) if (group.blocker === undefined && !this.#isBlocked(group, all)) return group;
    }
    return undefined;
  }

  /** Of groups that wait for each other, the one that was declared first. */
  first(): ParkedGroup {
    const groups = [...this.#groups.values()].flat();
    for (const group of groups) sortTokens(group.tokens);
    groups.sort((a, b) => compareTokens(a.tokens[0] as Token, b.tokens[0] as Token));
    return expectDefined(groups[0], "some group is parked");
  }

  #isBlocked(group: ParkedGroup, all: readonly Token[]): boolean {
    for (; group.scanned < all.length; group.scanned++) {
      const token = all[group.scanned] as Token;
      if (!this.#mayCome(token, group)) continue;
      // Branches mostly come in the order they started in: waiting for the last one means looking once, not each time.
      const last = all[all.length - 1] as Token;
      this.#wait(group, this.#mayCome(last, group) ? last : token);
      return true;
    }
    return false;
  }

  #wait(group: ParkedGroup, blocker: Token): void {
    group.blocker = blocker;
    const waiting = this.#blockedBy.get(blocker);
    if (waiting === undefined) this.#blockedBy.set(blocker, new Set([group]));
    else waiting.add(group);
  }

  #mayCome(token: Token, group: ParkedGroup): boolean {
    if (token.phase === "over" || (token.phase === "parked" && token.at === group.node)) return false;
    const cuts = cutsOf(group, token);
    if (cuts === undefined) return false;
    if (token.phase === "queued" && token.at === group.node) return true;
    return this.#plan.canReach(token.at, group.node, cuts);
  }
}

/**
 * The nodes that the token can't pass on its way to the group: where it and the member that it shares the fewest forks
 * with were forked off. Undefined when it can meet none of them.
 */
function cutsOf(group: ParkedGroup, token: Token): readonly number[] | undefined {
  let fewest: number[] | undefined;
  for (const member of group.kinds) {
    if (!canMeet(member, token)) continue;
    const cuts: number[] = [];
    for (let fork = commonFork(member, token); fork !== undefined; fork = fork.seat.fork) cuts.push(fork.node);
    if (fewest === undefined || cuts.length < fewest.length) fewest = cuts;
  }
  return fewest;
}

/** False when there is one like it already. */
function addKind(kinds: Token[], token: Token): boolean {
  const { fork, passed } = token.seat;
  if (passed.length === 0 && kinds.some(({ seat }) => seat.fork === fork && seat.passed.length === 0)) return false;
  kinds.push(token);
  return true;
}
