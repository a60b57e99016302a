// A terminal's picture as data: rows of runs, each with one style. Parsed from what `tmux capture-pane -e` prints.
// Pure.

export interface Style {
  /** `#rrggbb`; undefined: the terminal's own. */
  readonly fg: string | undefined;
  readonly bg: string | undefined;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isDim: boolean;
  readonly isInverse: boolean;
}

export interface Run {
  readonly text: string;
  /** The first column, from 0. */
  readonly column: number;
  readonly columns: number;
  readonly style: Style;
}

export type StyledFrame = readonly (readonly Run[])[];

const plain: Style = {
  fg: undefined,
  bg: undefined,
  isBold: false,
  isItalic: false,
  isUnderlined: false,
  isDim: false,
  isInverse: false,
};

// Sequences that set a style, sequences of links (dropped), and all others of that kind.
const escape = "\x1b";
const bell = "\x07";
const pieces = new RegExp(
  `${escape}\\[([0-9;]*)m|${escape}\\][^${escape}${bell}]*(?:${escape}\\\\|${bell})|([^${escape}]+)`,
  "g",
);

/** A style continues across lines until another is set. */
export function parseStyledFrame(captured: string): StyledFrame {
  let style = plain;
  return captured
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const runs: Run[] = [];
      let column = 0;
      for (const [, codes, text] of line.matchAll(pieces)) {
        if (codes !== undefined) style = applyCodes(style, codes === "" ? [0] : codes.split(";").map(Number));
        if (text === undefined) continue;
        const columns = Bun.stringWidth(text);
        runs.push({ text, column, columns, style });
        column += columns;
      }
      return runs;
    });
}

export function frameText(frame: StyledFrame): string {
  return frame
    .map((runs) =>
      runs
        .map(({ text }) => text)
        .join("")
        .trimEnd(),
    )
    .join("\n")
    .trimEnd();
}

function applyCodes(before: Style, codes: readonly number[]): Style {
  let style = before;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i] ?? 0;
    if (code === 38 || code === 48) {
      const isIndexed = codes[i + 1] === 5;
      const colour = isIndexed ? indexedColour(codes[i + 2] ?? 0) : hex(codes.slice(i + 2, i + 5));
      style = code === 38 ? { ...style, fg: colour } : { ...style, bg: colour };
      i += isIndexed ? 2 : 4;
    } else style = applyCode(style, code);
  }
  return style;
}

function applyCode(style: Style, code: number): Style {
  switch (code) {
    case 0:
      return plain;
    case 1:
      return { ...style, isBold: true };
    case 2:
      return { ...style, isDim: true };
    case 3:
      return { ...style, isItalic: true };
    case 4:
      return { ...style, isUnderlined: true };
    case 7:
      return { ...style, isInverse: true };
    case 22:
      return { ...style, isBold: false, isDim: false };
    case 23:
      return { ...style, isItalic: false };
    case 24:
      return { ...style, isUnderlined: false };
    case 27:
      return { ...style, isInverse: false };
    case 39:
      return { ...style, fg: undefined };
    case 49:
      return { ...style, bg: undefined };
    default:
      throw new Error(`The walk's pictures know no style ${code}. Add it to scripts/walk/styled-frame.ts.`);
  }
}

/** Of the 6×6×6 cube and the greys; the first sixteen are the terminal's own, and no theme of ours uses them. */
function indexedColour(index: number): string {
  if (index >= 232) return hex([0, 0, 0].map(() => 8 + (index - 232) * 10));
  if (index < 16)
    throw new Error(`The walk's pictures know no colour ${index}. Add it to scripts/walk/styled-frame.ts.`);
  const level = (at: number): number => (at === 0 ? 0 : 55 + at * 40);
  const place = index - 16;
  return hex([level(Math.floor(place / 36)), level(Math.floor(place / 6) % 6), level(place % 6)]);
}

function hex(channels: readonly number[]): string {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}
