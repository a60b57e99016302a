// A file's text with its imports by path replaced. Nothing but the literals changes, and no line moves.

/** Where the literal of an import stands, quotes included, and the real path that it leads to. */
export interface ImportPlace {
  readonly start: number;
  readonly end: number;
  readonly target: string;
}

export function rewriteImports<L extends ImportPlace>(
  text: string,
  links: readonly L[],
  nameOf: (link: L) => string,
): string {
  let rewritten = "";
  let at = 0;
  for (const link of links.toSorted((a, b) => a.start - b.start)) {
    rewritten += text.slice(at, link.start) + JSON.stringify(nameOf(link));
    at = link.end;
  }
  return rewritten + text.slice(at);
}
