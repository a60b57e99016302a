// Lines for a terminal that is narrower than they are, broken between words. Commands and ids are what users copy: a
// command in backticks is a word, and a line that ends with a command or an id stays whole, because a terminal copies
// what it breaks itself as one line.

import { widthOf } from "../width.ts";

/** Below this, breaking between words would leave little more than a word per line. */
const minColumns = 20;

/** `hanging`: how much further the rest of a broken line stands in. */
export function wrapLines(text: string, columns: number, hanging = 4): string {
  if (columns < minColumns) return text;
  return text
    .split("\n")
    .flatMap((line) => wrapLine(line, columns, hanging))
    .join("\n");
}

function wrapLine(line: string, columns: number, hanging: number): readonly string[] {
  if (widthOf(line) <= columns || /: +(?:atomic \S|[\da-f-]{36}$)/.test(line)) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const rest = `${indent}${" ".repeat(hanging)}`;
  const lines: string[] = [];
  let now = indent;
  let isEmpty = true;
  for (const word of line.match(/`[^`]*`\S*|\S+/g) ?? []) {
    const longer = isEmpty ? `${now}${word}` : `${now} ${word}`;
    if (isEmpty || widthOf(longer) <= columns) now = longer;
    else {
      lines.push(now);
      now = `${rest}${word}`;
    }
    isEmpty = false;
  }
  return [...lines, now];
}
