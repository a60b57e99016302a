// Tokens that wait before a node because others may still come. Remembers for each group one token that may, so that
// most moves of most tokens cost nothing: a group looks again only when that one moved or is over.

import { expectDefined } from "../../lib/expect.ts";
import type { GraphPlan } from "./plan.ts";
import { compareTokens } from "./segments.ts";
import type { Fork, Token } from "./token.ts";
import { commonFork } from "./token.ts";

/** Tokens that stand before one node, until nobody else can come. */
export interface ParkedGroup {
  readonly node: number;
  readonly round: string;
  readonly tokens: Token[];
  blocker: Token | undefined;
  /** Tokens before this place in the list of all were looked at already. */
  scanned: number;
}

export class ParkedGroups {
  readonly #plan: GraphPlan;
  readonly #groups = new Map<string, ParkedGroup>();
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
    const { round } = token.seat;
    const group = this.#groups.get(nameOf(node, round));
    if (group === undefined) {
      this.#groups.set(nameOf(node, round), { node, round, tokens: [token], blocker: undefined, scanned: 0 });
      return;
    }
    if (group.tokens.every((other) => other.seat.fork !== token.seat.fork)) group.scanned = 0;
    group.tokens.push(token);
  }

  /** The token is given up while it waits. */
  drop(token: Token): void {
    const name = nameOf(token.at, token.seat.round);
    const group = this.#groups.get(name);
    if (group === undefined) return;
    group.tokens.splice(group.tokens.indexOf(token), 1);
    this.#size--;
    if (group.tokens.length === 0) this.#groups.delete(name);
  }

  take(group: ParkedGroup): readonly Token[] {
    this.#groups.delete(nameOf(group.node, group.round));
    if (group.blocker !== undefined) this.#blockedBy.get(group.blocker)?.delete(group);
    this.#size -= group.tokens.length;
    return group.tokens.sort(compareTokens);
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
    for (const group of this.#groups.values()) group.scanned = 0;
  }

  /** A group that nobody can join any more. */
  findReady(all: readonly Token[]): ParkedGroup | undefined {
    for (const group of this.#groups.values()) {
      if (group.blocker === undefined && !this.#isBlocked(group, all)) return group;
    }
    return undefined;
  }

  /** Of groups that wait for each other, the one that was declared first. */
  first(): ParkedGroup {
    const groups = [...this.#groups.values()];
    for (const group of groups) group.tokens.sort(compareTokens);
    groups.sort((a, b) => compareTokens(a.tokens[0] as Token, b.tokens[0] as Token));
    return expectDefined(groups[0], "some group is parked");
  }

  #isBlocked(group: ParkedGroup, all: readonly Token[]): boolean {
    for (; group.scanned < all.length; group.scanned++) {
      const token = all[group.scanned] as Token;
      if (token.phase === "over" || token.seat.round !== group.round) continue;
      if (token.phase === "parked" && token.at === group.node) continue;
      const isAboutToStart = token.phase === "queued" && token.at === group.node;
      if (!isAboutToStart && !this.#plan.canReach(token.at, group.node, cutsOf(group, token))) continue;
      group.blocker = token;
      const waiting = this.#blockedBy.get(token);
      if (waiting === undefined) this.#blockedBy.set(token, new Set([group]));
      else waiting.add(group);
      return true;
    }
    return false;
  }
}

function nameOf(node: number, round: string): string {
  return `${node} ${round}`;
}

/** The nodes that the token can't pass on its way to the group: where they both were forked off. */
function cutsOf(group: ParkedGroup, token: Token): readonly number[] {
  let fewest: number[] | undefined;
  let seen: Fork | undefined;
  for (const member of group.tokens) {
    // Most members of a group are siblings.
    if (fewest !== undefined && member.seat.fork === seen) continue;
    seen = member.seat.fork;
    const cuts: number[] = [];
    for (let fork = commonFork(member, token); fork !== undefined; fork = fork.seat.fork) cuts.push(fork.node);
    if (fewest === undefined || cuts.length < fewest.length) fewest = cuts;
  }
  return fewest ?? [];
}
