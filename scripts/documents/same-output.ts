// Whether a page shows what a command printed. Ids, times and folders differ from run to run and are masked on both
// sides; a line of `…` on the page stands for any number of lines.

export const gap = "…";

const masks: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b/g, "<id>"],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?Z?)?/g, "<time>"],
  [/\b\d\d:\d\d(?::\d\d)?\b/g, "<time>"],
  [/\b(?:\d+(?:\.\d+)? ?(?:ms|s|min|m|h|d)\b ?)+/g, "<time>"],
  // The width of a column depends on its contents.
  [/(?<=\S) {2,}/g, "  "],
  [/ +$/g, ""],
];

/** A line without ids, times and folders, for comparison. */
function masked(line: string): string {
  return masks.reduce((text, [pattern, word]) => text.replace(pattern, word), line);
}

/** A message of the program on a machine that is too busy: no page shows it. */
const remark = /^! .* has kept the program busy for /;

export function isSameOutput(shown: readonly string[], printed: readonly string[]): boolean {
  return fits(shown.map(masked), printed.filter((line) => !remark.test(line)).map(masked), 0, 0);
}

function fits(shown: readonly string[], printed: readonly string[], from: number, at: number): boolean {
  for (let i = from, j = at; ; i++, j++) {
    if (i === shown.length) return j === printed.length;
    if (shown[i] === gap) {
      for (let next = j; next <= printed.length; next++) if (fits(shown, printed, i + 1, next)) return true;
      return false;
    }
    if (shown[i] !== printed[j]) return false;
  }
}
