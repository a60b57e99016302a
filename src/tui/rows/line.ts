// A line of a screen as plain data: pieces of text with the name of a colour, fitted to columns. Wide characters count
// as two. What comes in is safe to show already, or is made so here.

import { safeLine } from "../../lib/safe-text.ts";

export type InkName = "text" | "strong" | "muted" | "accent" | "good" | "bad" | "selected";

export interface Piece {
  readonly text: string;
  readonly ink: InkName;
}

export type Line = readonly Piece[];

export const piece = (text: string, ink: InkName = "text"): Piece => ({ text, ink });

export function columnsOf(text: string): number {
  return Bun.stringWidth(text);
}

const segments = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** At most this many columns; what is cut ends with `…`. */
export function cut(text: string, columns: number): string {
  const safe = safeLine(text, Math.max(1, columns * 2));
  if (columns <= 0) return "";
  if (columnsOf(safe) <= columns) return safe;
  let shown = "";
  let used = 0;
  for (const { segment } of segments.segment(safe)) {
    const width = columnsOf(segment);
    if (used + width > columns - 1) break;
    shown += segment;
    used += width;
  }
  return `${shown}…`;
}

/** Exactly this many columns. */
export function fit(text: string, columns: number): string {
  const shown = cut(text, columns);
  return shown + " ".repeat(Math.max(0, columns - columnsOf(shown)));
}

/** Exactly this many columns, at the right. */
export function fitRight(text: string, columns: number): string {
  const shown = cut(text, columns);
  return " ".repeat(Math.max(0, columns - columnsOf(shown))) + shown;
}

export function lineColumns(line: Line): number {
  return line.reduce((sum, { text }) => sum + columnsOf(text), 0);
}

export function lineText(line: Line): string {
  return line.map(({ text }) => text).join("");
}

/** The left part cut where needed, the right one whole and at the right edge. */
export function spread(left: Line, right: Line, columns: number): Line {
  const room = columns - lineColumns(right) - (right.length > 0 ? 2 : 0);
  const shown = cutLine(left, Math.max(0, room));
  const gap = Math.max(0, columns - lineColumns(shown) - lineColumns(right));
  return [...shown, piece(" ".repeat(gap)), ...right];
}

/** At most this many columns, from the left. */
export function cutLine(line: Line, columns: number): Line {
  const shown: Piece[] = [];
  let left = columns;
  for (const { text, ink } of line) {
    const width = columnsOf(text);
    if (width <= left) {
      shown.push({ text, ink });
      left -= width;
      continue;
    }
    if (left > 0) shown.push({ text: cutKept(text, left), ink });
    break;
  }
  return shown;
}

/** Like `cut`, with the spaces of the text as they are. */
function cutKept(text: string, columns: number): string {
  let shown = "";
  let used = 0;
  for (const { segment } of segments.segment(text)) {
    const width = columnsOf(segment);
    if (used + width > columns - 1) break;
    shown += segment;
    used += width;
  }
  return `${shown}…`;
}

/** Safe lines of at most this many columns, broken between words; what does not fit into the last one is cut. */
export function wrap(text: string, columns: number, most: number): readonly string[] {
  const words = safeLine(text, columns * most * 2).split(" ");
  const lines: string[] = [];
  let line = "";
  for (const [i, word] of words.entries()) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (columnsOf(longer) <= columns) {
      line = longer;
      continue;
    }
    if (lines.length === most - 1) return [...lines, cut([line, ...words.slice(i)].join(" ").trim(), columns)];
    if (line !== "") lines.push(line);
    line = cut(word, columns);
  }
  return line === "" ? lines : [...lines, line];
}

/**
 * All of a line in rows of this many columns: for texts that must be readable to their last character. Broken after a
 * space where there is one in the second half of the row.
 */
export function wrapLine(line: Line, columns: number): readonly Line[] {
  if (lineColumns(line) <= columns) return [line];
  const cells = line.flatMap(({ text, ink }) => [...segments.segment(text)].map(({ segment }) => piece(segment, ink)));
  const rows: Line[] = [];
  let from = 0;
  while (from < cells.length) {
    const end = rowEnd(cells, from, columns);
    rows.push(joined(cells.slice(from, end)));
    from = end;
  }
  return rows;
}

function rowEnd(cells: Line, from: number, columns: number): number {
  let used = 0;
  let space: number | undefined;
  for (let at = from; at < cells.length; at++) {
    const { text } = cells[at] as Piece;
    used += columnsOf(text);
    // One cell at least: a wide character may have more columns than there are.
    if (used > columns) return space ?? Math.max(at, from + 1);
    if (text === " " && used > columns / 2) space = at + 1;
  }
  return cells.length;
}

/** Neighbours of one colour as one piece. */
function joined(cells: Line): Line {
  const pieces: Piece[] = [];
  for (const { text, ink } of cells) {
    const last = pieces.at(-1);
    if (last?.ink === ink) pieces[pieces.length - 1] = { text: last.text + text, ink };
    else pieces.push({ text, ink });
  }
  return pieces;
}

/** The rows around the chosen one: `[from, to)`. */
export function rowsAround(count: number, selected: number, room: number): readonly [number, number] {
  if (count <= room) return [0, count];
  const from = Math.max(0, Math.min(selected - Math.floor(room / 2), count - room));
  return [from, from + room];
}
