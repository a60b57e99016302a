// Which tokens can join. A branch that returns to the node where it was forked off is looping: it has passed that fork.
// Other branches of the fork may or may not still wait where it would join them; that depends on timing, so it never
// joins them. With this, "another token may still arrive" can turn false but never true again, and what is joined does
// not depend on what finishes first.

import type { Fork, BranchContext, Token } from "./token.ts";
import { commonFork } from "./token.ts";

/** The seat comes to a node: if a fork around it happened there, it has passed it. */
export function notePassing(seat: BranchContext, node: number): void {
  for (let { fork } = seat; fork !== undefined; fork = fork.seat.fork) if (fork.node === node) addPassed(seat, [fork]);
}

function addPassed(seat: BranchContext, forks: readonly Fork[]): void {
  if (forks.length > 0) seat.passed = [...new Set([...seat.passed, ...forks])];
}

/** Can they join if they reach the same node? */
export function canMeet(a: Token, b: Token): boolean {
  // Branches of one fork that never looped: the case for nearly all, and for a thousand of them at once.
  if (a.seat.fork === b.seat.fork && a.seat.passed.length === 0 && b.seat.passed.length === 0) return true;
  const fork = commonFork(a, b);
  return fork === undefined || !(hasPassed(a.seat, fork) || hasPassed(b.seat, fork));
}

/** Did the seat, or one between it and the fork, again reach the node where the fork, or one around it, happened? */
function hasPassed(seat: BranchContext, fork: Fork): boolean {
  for (let at = seat; at.fork !== undefined; at = at.fork.seat) {
    if (at.passed.some((passed) => passed === fork || isAround(passed, fork))) return true;
    if (at.fork === fork) return false;
  }
  return false;
}

/** The fork is over: what its branches passed around it, the token from before it has passed too. */
export function takeOverPassed(fork: Fork, tokens: readonly Token[]): void {
  // The case for nearly all.
  if (tokens.every(({ seat }) => seat.fork === fork && seat.passed.length === 0)) return;
  addPassed(
    fork.seat,
    passedBelow(fork, tokens).filter((passed) => passed !== fork),
  );
}

/** The forks, from `fork` outwards, that tokens below it have passed. */
export function passedBelow(fork: Fork, tokens: readonly Token[]): Fork[] {
  const found = new Set<Fork>();
  for (const token of tokens) {
    for (let at = token.seat; at.fork !== undefined; at = at.fork.seat) {
      for (const passed of at.passed) if (passed === fork || isAround(passed, fork)) found.add(passed);
      if (at.fork === fork) break;
    }
  }
  return [...found];
}

function isAround(outer: Fork, fork: Fork): boolean {
  for (let at = fork.seat.fork; at !== undefined; at = at.seat.fork) if (at === outer) return true;
  return false;
}
