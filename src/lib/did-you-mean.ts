// The nearest name among those that exist. Owns what counts as near; not-found-text.ts has the wording.

/** The candidate with the fewest changed letters, if few enough changed. Ties go to the first in alphabetical order. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  // A third of the letters may differ: "comit" finds "commit", "x" finds nothing.
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  if (wanted.length < 2 || wanted.length > 100) return undefined;
  let best: { name: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const key = candidate.toLowerCase();
    if (Math.abs(key.length - wanted.length) > limit && !key.startsWith(wanted)) continue;
    // A name that was cut short is near too: "codebase-ana" means "codebase-analyzer".
    const distance = key.startsWith(wanted) && wanted.length >= 3 ? 1 : editDistance(wanted, key);
    if (distance > limit) continue;
    if (best === undefined || distance < best.distance || (distance === best.distance && candidate < best.name)) {
      best = { name: candidate, distance };
    }
  }
  return best?.name;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
