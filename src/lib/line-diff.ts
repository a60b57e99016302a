// A line diff of two texts, for people. Exact for texts of a usual size; two huge and entirely different texts are
// shown as removed and added, because finding the shortest diff would take too long.

export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

const maxCells = 4_000_000;

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ sign: " ", text }));
  return [
    ...same(a.slice(0, head)),
    ...diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(tail === 0 ? [] : a.slice(-tail)),
  ];
}

/** The lines that changed with `context` lines around them; `…` stands for what was left out. */
export function shortDiff(before: string, after: string, context = 3): readonly string[] {
  const lines = diffLines(before, after);
  const changed = lines.flatMap((line, i) => (line.sign === " " ? [] : [i]));
  const isNear = new Set<number>();
  for (const i of changed) for (let j = i - context; j <= i + context; j++) isNear.add(j);
  const shown: string[] = [];
  for (const [i, line] of lines.entries()) {
    if (isNear.has(i)) shown.push(`${line.sign} ${line.text}`);
    else if (shown.at(-1) !== "…") shown.push("…");
  }
  return changed.length === 0 ? [] : shown;
}

function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > maxCells) {
    return [...a.map((text) => ({ sign: "-" as const, text })), ...b.map((text) => ({ sign: "+" as const, text }))];
  }
  // The length of the longest common suffix, for every pair of positions.
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const skip = Math.max(common[(i + 1) * width + j] ?? 0, common[i * width + j + 1] ?? 0);
      common[i * width + j] = a[i] === b[j] ? (common[(i + 1) * width + j + 1] ?? 0) + 1 : skip;
    }
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const left = a[i];
    const right = b[j];
    if (left !== undefined && left === right) {
      lines.push({ sign: " ", text: left });
      i++;
      j++;
    } else if (right === undefined || (left !== undefined && isRemoval(i, j))) {
      lines.push({ sign: "-", text: left ?? "" });
      i++;
    } else {
      lines.push({ sign: "+", text: right });
      j++;
    }
  }
  return lines;

  function isRemoval(i: number, j: number): boolean {
    return (common[(i + 1) * width + j] ?? 0) >= (common[i * width + j + 1] ?? 0);
  }
}
