// Names of steps in the journal: paths of scopes with visit numbers, so that loops, branches, subgraphs and a node
// that two branches reach are all distinct. `fork#1/left/work#2` is the second visit of `work` in branch `left` of the
// first visit of `fork`. Separators inside an id are escaped, so that two ids never give one key.

export function keyPart(id: string): string {
  return /[%/#:~+?]/.test(id) ? id.replace(/[%/#:~+?]/g, (c) => `%${c.charCodeAt(0).toString(16)}`) : id;
}

export function stepKey(path: string, part: string, visit: number): string {
  return `${path}${part}#${visit}`;
}

/** The path of a subgraph that a visit runs: the first, the nth, or a named one; a new path after each failure. */
export function subgraphPath(visit: string, failures: number, use: number | string): string {
  const round = failures === 0 ? visit : `${visit}~${failures + 1}`;
  if (typeof use === "string") return `${round}/#:${keyPart(use)}/`;
  return use === 1 ? `${round}/` : `${round}/#${use}/`;
}

/** A round of a loop: how often the run has reached one point. */
export interface LoopRound {
  /** The same for everything that one round runs, in parallel or one after the other. */
  readonly loop: string;
  /** From 1. */
  readonly round: number;
}

/**
 * The round that a visit is part of: the visit numbers on its way, without the names of nodes and branches, up to the
 * last that is not a first. `work#3` and `fork#3/left/check#1` are of one round; so is all of `each#1/#:3/`.
 */
export function roundOf(key: string): LoopRound {
  const numbers = key.split("/").flatMap((part) => /#:?(\d+)(?:~\d+)?$/.exec(part)?.[1] ?? []);
  while (numbers.length > 1 && numbers.at(-1) === "1") numbers.pop();
  return { loop: numbers.slice(0, -1).join("."), round: Number(numbers.at(-1) ?? 1) };
}
