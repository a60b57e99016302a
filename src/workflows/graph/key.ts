// Names of steps in the journal: paths of scopes with visit numbers, so that loops, branches, subgraphs and a node
// that two branches reach are all distinct. `fork#1/left/work#2` is the second visit of `work` in branch `left` of the
// first visit of `fork`. Separators inside an id are escaped, so that two ids never give one key.

export function keyPart(id: string): string {
  return /[%/#:~+?]/.test(id) ? id.replace(/[%/#:~+?]/g, (c) => `%${c.charCodeAt(0).toString(16)}`) : id;
}

export function stepKey(path: string, part: string, visit: number): string {
  return `${path}${part}#${visit}`;
}

/** Does `key` name something that happens inside the step `outer`? */
export function isInside(key: string, outer: string): boolean {
  if (!key.startsWith(outer)) return false;
  const next = key[outer.length];
  return next === "/" || next === ":" || next === "?" || next === "~";
}

/** The keys of the steps that `key` may be inside of, from the outermost. */
export function outerKeys(key: string): string[] {
  const outer: string[] = [];
  for (let at = key.indexOf("/"); at !== -1; at = key.indexOf("/", at + 1)) {
    // `sub#1~2/…` is inside the second round of `sub#1`.
    outer.push(key.slice(0, at).replace(/~\d+$/, ""));
  }
  return outer;
}
