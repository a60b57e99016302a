// Texts in columns of a terminal: widths count what it shows, not characters.

/** Printable ASCII in single spaces: most texts, and nothing to measure. */
export function isPlainText(text: string): boolean {
  return text.length <= 500 && /^(?:[!-~]+(?: [!-~]+)*)?$/.test(text);
}

export function widthOf(text: string): number {
  return isPlainText(text) ? text.length : Bun.stringWidth(text);
}

/** What is cut off shows as an ellipsis. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shown = "";
  for (const character of text) {
    if (Bun.stringWidth(shown + character) > width - 1) break;
    shown += character;
  }
  return `${shown}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
