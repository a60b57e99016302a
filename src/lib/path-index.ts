// Finds paths by a few of their letters, fast enough to search a hundred thousand of them at every key press. A bit
// mask skips paths that lack a letter of the query; a query that extends the previous one searches only its results.
// Ignored paths come last, whatever their score.

export interface IndexedPath {
  /** Relative, with slashes. A folder ends with one. */
  readonly path: string;
  readonly isIgnored: boolean;
}

export interface PathIndex {
  add(paths: readonly string[], isIgnored: boolean): void;
  /** The best first. An empty query gives the top of the tree. */
  search(query: string, limit: number): readonly IndexedPath[];
  readonly size: number;
}

/** More than any score, so that ignored paths come last. */
const ignoredPenalty = 1_000_000;

export function createPathIndex(): PathIndex {
  const paths: string[] = [];
  const lower: string[] = [];
  const masks: number[] = [];
  const ignored: boolean[] = [];
  /** Where the last part begins. */
  const names: number[] = [];
  const top: number[] = [];
  let last: { readonly query: string; readonly found: readonly number[] } | undefined;

  /** Every path that holds the letters in order. */
  function matching(query: string): { readonly found: readonly number[]; readonly scores: readonly number[] } {
    const from = last !== undefined && last.query !== "" && query.startsWith(last.query) ? last.found : undefined;
    const mask = maskOf(query);
    const found: number[] = [];
    const scores: number[] = [];
    const count = from?.length ?? paths.length;
    for (let i = 0; i < count; i++) {
      const at = from?.[i] ?? i;
      if (((masks[at] ?? 0) & mask) !== mask) continue;
      const score = scorePath(query, lower[at] ?? "", names[at] ?? 0);
      if (score === undefined) continue;
      found.push(at);
      scores.push(ignored[at] === true ? score + ignoredPenalty : score);
    }
    return { found, scores };
  }

  const entry = (at: number): IndexedPath => ({ path: paths[at] ?? "", isIgnored: ignored[at] === true });

  return {
    get size() {
      return paths.length;
    },
    add(added, isIgnored) {
      for (const path of added) {
        const key = path.toLowerCase();
        const name = path.lastIndexOf("/", path.length - 2) + 1;
        if (name === 0) top.push(paths.length);
        names.push(name);
        paths.push(path);
        lower.push(key);
        masks.push(maskOf(key));
        ignored.push(isIgnored);
      }
      last = undefined;
    },
    search(written, limit) {
      const query = written.toLowerCase();
      if (query === "") {
        const rank = (at: number): string => `${Number(ignored[at])}${lower[at]}`;
        return top
          .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
          .slice(0, limit)
          .map(entry);
      }
      const { found, scores } = matching(query);
      last = { query, found };
      return best(found, scores, limit).map(entry);
    },
  };
}

/** One bit per letter, one for all digits, one for everything else that is not a separator. */
function maskOf(text: string): number {
  let mask = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 97 && code <= 122) mask |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) mask |= 1 << 26;
    else if (code > 127) mask |= 1 << 27;
  }
  return mask;
}

/** The lower the better: in the name, at the beginning of a part, close together, in a short path. */
function scorePath(query: string, path: string, name: number): number | undefined {
  const anywhere = path.indexOf(query);
  if (anywhere !== -1) {
    const inName = anywhere >= name ? anywhere : path.indexOf(query, name);
    if (inName !== -1) return (inName === name ? 0 : 1000 + inName - name) + path.length / 10;
    const isPart = anywhere === 0 || path.charCodeAt(anywhere - 1) === 47;
    return (isPart ? 2000 : 3000) + path.length / 10;
  }
  if (query.length === 1) return undefined;
  let at = -1;
  let gaps = 0;
  for (let i = 0; i < query.length; i++) {
    const next = path.indexOf(query.charAt(i), at + 1);
    if (next === -1) return undefined;
    if (at !== -1 && next > at + 1 && path.charCodeAt(next - 1) !== 47) gaps += next - at - 1;
    at = next;
  }
  return 10_000 + gaps * 10 + path.length / 10;
}

/** The few with the lowest scores, without sorting the rest; of equals, those that were added first. */
function best(found: readonly number[], scores: readonly number[], limit: number): readonly number[] {
  const kept: { readonly at: number; readonly score: number }[] = [];
  let worst = Number.POSITIVE_INFINITY;
  for (let i = 0; i < found.length; i++) {
    const score = scores[i] ?? 0;
    if (score >= worst) continue;
    let place = kept.length;
    while (place > 0 && (kept[place - 1]?.score ?? 0) > score) place--;
    kept.splice(place, 0, { at: found[i] ?? 0, score });
    if (kept.length > limit) kept.pop();
    if (kept.length === limit) worst = kept[limit - 1]?.score ?? worst;
  }
  return kept.map(({ at }) => at);
}
