// Several loops that take turns inside one process, a number of steps each, so that the disk and the machine affect all
// of them equally. Each loop calls its function in every step, and awaits what it returns.

import { median } from "./statistics.ts";

export interface Turns<Name extends string> {
  /** What the loop of that name calls in each step. */
  at(name: Name): (step: number) => Promise<void> | undefined;
  /** Wall time of one step, in nanoseconds: the median over the turns, without the first ones. */
  median(name: Name): number;
}

/** Turns that only warm up. */
const unmeasured = 3;

/** `steps` to a turn, and `total` in all: the step after those is the end of a loop, and waits for none. */
export function createTurns<const Name extends string>(
  names: readonly Name[],
  { steps, total }: { readonly steps: number; readonly total: number },
): Turns<Name> {
  const waiting = new Map<Name, () => void>();
  const laps = new Map<Name, number[]>(names.map((name) => [name, []]));
  let current = 0;
  let since = 0;

  function begin(): void {
    since = performance.now();
    const name = names[current];
    if (name === undefined) return;
    waiting.get(name)?.();
    waiting.delete(name);
  }

  return {
    at: (name) => (step) => {
      if (step % steps !== 1) return undefined;
      // Its first step comes before it has had a turn.
      if (step > 1) {
        laps.get(name)?.push(((performance.now() - since) * 1e6) / steps);
        current = (current + 1) % names.length;
      }
      const itsTurn = step > total ? undefined : new Promise<void>((resolve) => waiting.set(name, resolve));
      if (step > 1 || waiting.size === names.length) begin();
      return itsTurn;
    },
    median: (name) => median((laps.get(name) ?? []).slice(unmeasured)),
  };
}
