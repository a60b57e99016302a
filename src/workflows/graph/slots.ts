// Places in a parallel node: at most so many of its branches run at the same time. A branch keeps its place while any
// token at or below it runs, and gives it up while all of them wait.

import type { Fork, Token } from "./token.ts";

export function takeSlot(token: Token): void {
  if (token.holdsSlot) return;
  token.holdsSlot = true;
  for (let { seat } = token; seat.fork !== undefined; seat = seat.fork.seat) {
    if (++seat.holders === 1) seat.fork.freeSlots--;
  }
}

/** Returns the forks that have room now. */
export function giveUpSlot(token: Token): readonly Fork[] {
  if (!token.holdsSlot) return [];
  token.holdsSlot = false;
  const freed: Fork[] = [];
  for (let { seat } = token; seat.fork !== undefined; seat = seat.fork.seat) {
    if (--seat.holders > 0) continue;
    seat.fork.freeSlots++;
    freed.push(seat.fork);
  }
  return freed;
}
