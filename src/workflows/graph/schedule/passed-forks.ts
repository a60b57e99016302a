// Which tokens can join. A branch that returns to the node where it was forked off is looping: it has passed that fork.
// Other branches of the fork may or may not still wait where it would join them; that depends on timing, so it never
// joins them. With this, "another token may still arrive" can turn false but never true again, and what is joined does
// not depend on what finishes first.

import type { Fork, BranchContext, Token } from "./token.ts";
import { commonFork } from "./token.ts";

/** The branch comes to a node: if a fork around it happened there, it has passed it. */
export function notePassing(branch: BranchContext, node: number): void {
  for (let { fork } = branch; fork !== undefined; fork = fork.branch.fork)
    if (fork.node === node) addPassed(branch, [fork]);
}

function addPassed(branch: BranchContext, forks: readonly Fork[]): void {
  if (forks.length > 0) branch.passed = [...new Set([...branch.passed, ...forks])];
}

/** Can they join if they reach the same node? */
export function canMeet(a: Token, b: Token): boolean {
  // Branches of one fork that never looped: the case for nearly all, and for a thousand of them at once.
  if (a.branch.fork === b.branch.fork && a.branch.passed.length === 0 && b.branch.passed.length === 0) return true;
  const fork = commonFork(a, b);
  return fork === undefined || !(hasPassed(a.branch, fork) || hasPassed(b.branch, fork));
}

/** Did the branch, or one between it and the fork, again reach the node where the fork, or one around it, happened? */
function hasPassed(branch: BranchContext, fork: Fork): boolean {
  for (let at = branch; at.fork !== undefined; at = at.fork.branch) {
    if (at.passed.some((passed) => passed === fork || isAround(passed, fork))) return true;
    if (at.fork === fork) return false;
  }
  return false;
}

/** The fork is over: what its branches passed around it, the token from before it has passed too. */
export function takeOverPassed(fork: Fork, tokens: readonly Token[]): void {
  // The case for nearly all.
  if (tokens.every(({ branch }) => branch.fork === fork && branch.passed.length === 0)) return;
  addPassed(
    fork.branch,
    passedBelow(fork, tokens).filter((passed) => passed !== fork),
  );
}

/** The forks, from `fork` outwards, that tokens below it have passed. */
export function passedBelow(fork: Fork, tokens: readonly Token[]): Fork[] {
  const found = new Set<Fork>();
  for (const token of tokens) {
    for (let at = token.branch; at.fork !== undefined; at = at.fork.branch) {
      for (const passed of at.passed) if (passed === fork || isAround(passed, fork)) found.add(passed);
      if (at.fork === fork) break;
    }
  }
  return [...found];
}

function isAround(outer: Fork, fork: Fork): boolean {
  for (let at = fork.branch.fork; at !== undefined; at = at.branch.fork) if (at === outer) return true;
  return false;
}
