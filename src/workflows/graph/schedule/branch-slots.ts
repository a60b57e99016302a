// Slots of a parallel node: at most this many of its branches run at the same time. A branch keeps its slot while any
// token at or below it runs, and gives it up while all of them wait.

import type { Fork, Token } from "./token.ts";

export function takeSlot(token: Token): void {
  if (token.holdsSlot) return;
  token.holdsSlot = true;
  for (let { branch } = token; branch.fork !== undefined; branch = branch.fork.branch) {
    if (++branch.holders === 1) branch.fork.freeSlots--;
  }
}

const none: readonly Fork[] = [];

/** Returns the forks that have a free slot now, and branches that wait for one. */
export function giveUpSlot(token: Token): readonly Fork[] {
  if (!token.holdsSlot) return none;
  token.holdsSlot = false;
  let wanted: Fork[] | undefined;
  for (let { branch } = token; branch.fork !== undefined; branch = branch.fork.branch) {
    if (--branch.holders > 0) continue;
    branch.fork.freeSlots++;
    if (branch.fork.begun < branch.fork.queue.length) (wanted ??= []).push(branch.fork);
  }
  return wanted ?? none;
}
