// Tokens that wait before a node because others may still arrive. Remembers for each group one token that may, so that
// most moves of most tokens cost nothing: a group checks again only when that one can no longer arrive.

import { expectDefined } from "../../../lib/expect.ts";
import { canMeet } from "./passed-forks.ts";
import type { GraphPlan } from "../compile/plan.ts";
import type { Cuts, Reachers } from "../compile/reach.ts";
import { compareTokens, sortTokens } from "./segments.ts";
import { TokensAtNodes } from "./tokens-at-nodes.ts";
import type { Fork, ParkedGroup, Token } from "./token.ts";
import { commonFork } from "./token.ts";

const noGroups: readonly ParkedGroup[] = [];

export class ParkedGroups {
  readonly #plan: GraphPlan;
  readonly #standing: TokensAtNodes;
  /** By node. Several groups that can't join each other may wait before one node. */
  readonly #groups: (readonly ParkedGroup[] | undefined)[];
  /** Which groups wait for a token. */
  readonly #blockedBy = new Map<Token, Set<ParkedGroup>>();
  /** Groups that wait for no token in particular, and have to look whether there is one. */
  readonly #unsettled = new Set<ParkedGroup>();
  #size = 0;
  /** A group continued although others could still have arrived. From then on any token may arrive anywhere. */
  #isOutOfOrder = false;

  /** `isRestored`: tokens were put back from a snapshot, and it does not say in which order they arrived. */
  constructor(plan: GraphPlan, isRestored: boolean) {
    this.#plan = plan;
    this.#isOutOfOrder = isRestored;
    const { length } = plan.nodes;
    this.#standing = new TokensAtNodes(length);
    this.#groups = Array.from({ length }, () => undefined);
  }

  /** How many tokens are parked. */
  get size(): number {
    return this.#size;
  }

  park(token: Token, node: number): void {
    token.phase = "parked";
    token.at = node;
    this.#size++;
    const groups = this.#groups[node];
    let joined: ParkedGroup | undefined;
    for (const group of groups ?? noGroups) {
      if (!group.kinds.some((other) => canMeet(other, token))) continue;
      if (joined === undefined) joined = group;
      else this.#unite(joined, group);
    }
    if (joined === undefined) {
      joined = { node, tokens: [token], kinds: [token], blocker: undefined, waitsFor: undefined, cursor: 0 };
      this.#groups[node] = groups === undefined ? [joined] : groups.concat(joined);
    } else {
      joined.tokens.push(token);
      addKind(joined.kinds, token);
    }
    if (joined.blocker === undefined) this.#unsettled.add(joined);
    this.#standing.remove(token);
    this.#lookAgain(token);
  }

  /** Joins two groups that could not meet, once a token arrives that can meet both. */
  #unite(group: ParkedGroup, other: ParkedGroup): void {
    this.#remove(other);
    for (const token of other.tokens) group.tokens.push(token);
    for (const token of other.kinds) addKind(group.kinds, token);
  }

  #remove(group: ParkedGroup): void {
    const left = (this.#groups[group.node] ?? []).filter((other) => other !== group);
    this.#groups[group.node] = left.length === 0 ? undefined : left;
    this.#unsettled.delete(group);
    stopWaitingForFork(group);
    if (group.blocker !== undefined) this.#blockedBy.get(group.blocker)?.delete(group);
  }

  /** The token is given up while it waits. */
  drop(token: Token): void {
    const group = this.#groups[token.at]?.find(({ tokens }) => tokens.includes(token));
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

  /** The token stands at another node now. True: a group waited for it, and has to look again. */
  moved(token: Token): boolean {
    this.#standing.put(token, token.at);
    return this.#lookAgain(token);
  }

  /** The token is over. */
  over(token: Token): void {
    this.#standing.remove(token);
    this.#lookAgain(token);
  }

  /** The token is over, and no other takes its place. */
  left(token: Token): void {
    for (let { fork } = token.branch; fork !== undefined; fork = fork.branch.fork)
      if (fork.group !== undefined) this.#unsettled.add(fork.group);
  }

  /** Groups that the token can't join any more have to find another to wait for. */
  #lookAgain(token: Token): boolean {
    if (this.#blockedBy.size === 0) return false;
    const waiting = this.#blockedBy.get(token);
    if (waiting === undefined) return false;
    let isAny = false;
    for (const group of waiting) {
      if (this.#mayCome(token, group)) continue;
      waiting.delete(group);
      group.blocker = undefined;
      this.#unsettled.add(group);
      isAny = true;
    }
    if (waiting.size === 0) this.#blockedBy.delete(token);
    return isAny;
  }

  /** A group that no other token can join any more. */
  findReady(): ParkedGroup | undefined {
    for (const group of this.#unsettled) {
      this.#unsettled.delete(group);
      if (!this.#isBlocked(group)) return group;
    }
    return undefined;
  }

  /** Of groups that wait for each other, the one that was declared first. */
  first(): ParkedGroup {
    this.#isOutOfOrder = true;
    const groups = this.#groups.flatMap((groups) => groups ?? []);
    for (const group of groups) sortTokens(group.tokens);
    groups.sort((a, b) => compareTokens(a.tokens[0] as Token, b.tokens[0] as Token));
    return expectDefined(groups[0], "some group is parked");
  }

  #isBlocked(group: ParkedGroup): boolean {
    stopWaitingForFork(group);
    const fork = this.#sealedForkOf(group);
    if (fork === undefined) return this.#findBlocker(group);
    if (fork.live === group.tokens.length) return false;
    group.waitsFor = fork;
    fork.group = group;
    return true;
  }

  /**
   * The fork whose branches the members are, if they can only go here. No other token arrives here either:
   * it would have to pass the node where the fork happened, and was waited for on the way there.
   */
  #sealedForkOf({ node, kinds }: ParkedGroup): Fork | undefined {
    const fork = kinds[0]?.branch.fork;
    if (fork === undefined || kinds.length > 1 || this.#isOutOfOrder) return undefined;
    return fork.isSealed && fork.joinNode === node ? fork : undefined;
  }

  #findBlocker(group: ParkedGroup): boolean {
    const { nodes } = this.#reachersOf(group);
    // Branches mostly arrive in declaration order. The last one is waited for first, and the search continues
    // from where it ended, so that a group of many looks at each node about once.
    for (let looked = 0; looked < nodes.length; looked++) {
      const blocker = this.#findAt(nodes[group.cursor] as number, group);
      if (blocker !== undefined) {
        this.#wait(group, blocker);
        return true;
      }
      group.cursor = group.cursor + 1 === nodes.length ? 0 : group.cursor + 1;
    }
    // A branch may begin in the very node where it meets the others.
    const queued = this.#findAt(group.node, group);
    if (queued !== undefined) this.#wait(group, queued);
    return queued !== undefined;
  }

  /** A token at the node that may come to the group: on its way, or waiting there for others. */
  #findAt(node: number, group: ParkedGroup): Token | undefined {
    const groups = node === group.node ? undefined : this.#groups[node];
    if (groups === undefined && !this.#standing.isAny(node)) return undefined;
    const mayCome = (token: Token): boolean => this.#mayCome(token, group);
    const found = this.#standing.find(node, mayCome);
    if (found !== undefined || groups === undefined) return found;
    for (const { kinds } of groups) {
      const waiting = kinds.find(mayCome);
      if (waiting !== undefined) return waiting;
    }
    return undefined;
  }

  /** All nodes from which any token could come: from the outermost fork on, which is around every token there is. */
  #reachersOf({ node, kinds }: ParkedGroup): Reachers {
    let fork = kinds[0]?.branch.fork;
    while (fork?.branch.fork !== undefined) fork = fork.branch.fork;
    return this.#cutsOf(fork).reachersOf(node);
  }

  #cutsOf(fork: Fork | undefined): Cuts {
    return fork?.cuts ?? this.#plan.noCuts;
  }

  #wait(group: ParkedGroup, blocker: Token): void {
    group.blocker = blocker;
    const waiting = this.#blockedBy.get(blocker);
    if (waiting === undefined) this.#blockedBy.set(blocker, new Set([group]));
    else waiting.add(group);
  }

  #mayCome(token: Token, group: ParkedGroup): boolean {
    if (token.phase === "over" || (token.phase === "parked" && token.at === group.node)) return false;
    const member = farthestMember(group, token);
    if (member === undefined) return false;
    if (token.phase === "queued" && token.at === group.node) return true;
    return this.#cutsOf(commonFork(member, token)).reachersOf(group.node).has(token.at);
  }
}

/**
 * The member that the token shares the fewest forks with, of those that it can meet: on its way to the group it can't
 * pass the nodes where they were forked off.
 */
function farthestMember(group: ParkedGroup, token: Token): Token | undefined {
  let farthest: Token | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const member of group.kinds) {
    if (!canMeet(member, token)) continue;
    const depth = commonFork(member, token)?.depth ?? 0;
    if (depth >= fewest) continue;
    farthest = member;
    fewest = depth;
  }
  return farthest;
}

function stopWaitingForFork(group: ParkedGroup): void {
  if (group.waitsFor === undefined) return;
  group.waitsFor.group = undefined;
  group.waitsFor = undefined;
}

/** Unless there is one like it already. */
function addKind(kinds: Token[], token: Token): void {
  const { fork, passed } = token.branch;
  if (passed.length === 0 && kinds.some(({ branch }) => branch.fork === fork && branch.passed.length === 0)) return;
  kinds.push(token);
}
