// Small texts of the screen: durations, money, a bar, the state of a tool. Pure.

export function shortTime(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

export function money(usd: number): string {
  return `$${usd.toFixed(2)}`;
}

/** `context ▓▓▓░░ 41%`, or `41%` where there is little room. */
export function contextText(used: number, max: number | undefined, isWide: boolean): string {
  if (max === undefined || max <= 0) return `context ${Math.round(used / 1000)}k`;
  const share = Math.max(0, Math.min(1, used / max));
  const full = Math.round(share * 5);
  const percent = `${Math.round(share * 100)}%`;
  return isWide ? `context ${"▓".repeat(full)}${"░".repeat(5 - full)} ${percent}` : percent;
}

export function stateSign(state: string): string {
  switch (state) {
    case "ok":
    case "completed":
      return "✓";
    case "failed":
      return "✗";
    case "interrupted":
      return "■";
    default:
      return "◐";
  }
}

/** The finished parts of a text that still grows, and the part that does not end yet. Fences hold parts together. */
export function splitMarkdown(text: string): { readonly finished: readonly string[]; readonly open: string } {
  const finished: string[] = [];
  let part: string[] = [];
  let fence: string | undefined;
  const lines = text.split("\n");
  for (const [i, line] of lines.entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence;
    part.push(line);
    const isLast = i === lines.length - 1;
    if (!isLast && fence === undefined && line.trim() === "" && part.some((each) => each.trim() !== "")) {
      finished.push(part.join("\n"));
      part = [];
    }
  }
  return { finished, open: part.join("\n") };
}

export interface DiffPart {
  readonly sign: "+" | "-" | " ";
  readonly lines: readonly string[];
}

/** Neighbouring lines of the same kind, together. */
export function diffParts(text: string): readonly DiffPart[] {
  const parts: { sign: DiffPart["sign"]; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ";
    const last = parts.at(-1);
    if (last?.sign === sign) last.lines.push(line);
    else parts.push({ sign, lines: [line] });
  }
  return parts;
}

/**
 * Lines of at most this many characters, broken between words where there are any. What is broken off stands below what
 * it belongs to: a description beside a name stays in its column.
 */
export function wrapText(text: string, columns: number): string {
  const most = Math.max(10, columns);
  return text
    .split("\n")
    .flatMap((line) => {
      const beside = /^ *\S+ {2,}(?=\S)|^ */.exec(line)?.[0].length ?? 0;
      const indent = " ".repeat(beside <= most / 2 ? beside : 0);
      const lines: string[] = [];
      let rest = line;
      while (rest.length > most) {
        const space = rest.lastIndexOf(" ", most);
        const at = space > indent.length ? space : most;
        lines.push(rest.slice(0, at));
        rest = indent + rest.slice(at).trimStart();
      }
      return [...lines, rest];
    })
    .join("\n");
}
