// Rows in columns. Widths count what a terminal shows, not characters; the last column gives way when a line would be
// too long for the terminal.

import { safeLine } from "../lib/safe-text.ts";
import { cutToWidth, isPlainText, padToWidth, widthOf } from "./width.ts";

const gap = 2;
const minLastColumn = 20;

/** Cells are made safe here. Without a terminal nothing is cut. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | undefined,
): string {
  const cells = [headings, ...rows].map((row) => row.map((cell) => (isPlainText(cell) ? cell : safeLine(cell, 500))));
  const widths = headings.map((_, i) => cells.reduce((most, row) => Math.max(most, widthOf(row[i] ?? "")), 0));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + gap, 0);
  const room = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(columns - before, minLastColumn);
  return cells.map((row) => line(row, widths, room)).join("\n");
}

function line(row: readonly string[], widths: readonly number[], room: number): string {
  const last = row.length - 1;
  return row
    .map((cell, i) => {
      if (i === last) return cutToWidth(cell, room);
      return padToWidth(cell, (widths[i] ?? 0) + gap);
    })
    .join("")
    .trimEnd();
}
