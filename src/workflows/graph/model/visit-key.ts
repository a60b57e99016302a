// What a key says about the visits around it, and the key of the end. Only runs need this; key.ts has the rest.

/** Names what is recorded after the last node. No visit has such a key: theirs end with a number. */
export const endingKey = "end";

/**
 * The visits whose subgraphs `key` is inside of, from the outermost. `sub#1/work#1` and, after a failure,
 * `sub#1~2/work#1` are inside `sub#1`; `fork#1/left/work#1` is in a branch that comes after `fork#1`, not inside it.
 */
export function enclosingVisits(key: string): string[] {
  const visits: string[] = [];
  for (let at = key.indexOf("/"); at !== -1; at = key.indexOf("/", at + 1)) {
    const end = key.indexOf("/", at + 1);
    const next = key.slice(at + 1, end === -1 ? undefined : end);
    // Branches have no number; those that merged some of them have one only together with a plus.
    if (next.includes("#") && !next.includes("+")) visits.push(visitOfSubgraph(key.slice(0, at + 1)));
  }
  return visits;
}

/** The visit that a subgraph with this path runs in. */
export function visitOfSubgraph(path: string): string {
  return path.replace(/(~\d+)?\/(#[^/]*\/)?$/, "");
}
