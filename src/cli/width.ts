// Texts in columns of a terminal: widths count what it shows, not characters.

/** Created only if a text needs it, which is rare in tables: it takes milliseconds. */
let segmenter: Intl.Segmenter | undefined;

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
  if (isPlainText(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  let end = 0;
  let shown = 0;
  segmenter ??= new Intl.Segmenter();
  for (const { segment } of segmenter.segment(text)) {
    shown += Bun.stringWidth(segment);
    if (shown > width - 1) break;
    end += segment.length;
  }
  return `${text.slice(0, end)}…`;
}

export function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - widthOf(text)));
}
