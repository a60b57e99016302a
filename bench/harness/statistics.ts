// Figures of several rounds as one number. Medians, because a shared machine makes single figures jump; ratios are
// taken inside a round first, because neighbours in time see the same machine.

import type { Figures, Measured } from "./bench.ts";

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Half of the values lie in between these two. */
export function middleHalf(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
  return [at(0.25), at(0.75)];
}

export class Rounds implements Measured {
  readonly #bySubject = new Map<string, Map<number, Figures>>();

  add(subject: string, round: number, figures: Figures): void {
    const known = this.#bySubject.get(subject);
    if (known === undefined) this.#bySubject.set(subject, new Map([[round, figures]]));
    else known.set(round, figures);
  }

  #byRound(subject: string, figure: string): Map<number, number> {
    const values = new Map<number, number>();
    for (const [round, figures] of this.#bySubject.get(subject) ?? []) {
      if (figures[figure] !== undefined) values.set(round, figures[figure]);
    }
    return values;
  }

  has(subject: string): boolean {
    return this.#bySubject.has(subject);
  }

  values(subject: string, figure: string): number[] {
    return [...this.#byRound(subject, figure).values()];
  }

  median(subject: string, figure: string): number {
    return median(this.values(subject, figure));
  }

  ratio(subject: string, by: string, figure: string): number {
    // Slow ones take part in fewer rounds than others.
    const ratios: number[] = [];
    for (const [round, value] of this.#byRound(subject, figure)) {
      const other = this.#byRound(by, figure).get(round);
      if (other !== undefined) ratios.push(value / other);
    }
    return median(ratios);
  }

  ratioWithin(subject: string, figure: string, by: string): number {
    const below = this.values(subject, by);
    return median(this.values(subject, figure).map((value, round) => value / (below[round] ?? Number.NaN)));
  }
}
