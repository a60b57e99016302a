// Replaces the imports by path in a file's text. Only the literals change, and lines keep their numbers.

/** The range of an import's literal, quotes included, and the real path it resolves to. */
export interface ImportLink {
  readonly start: number;
  readonly end: number;
  readonly target: string;
}

export function rewriteImports<L extends ImportLink>(
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
