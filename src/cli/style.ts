// Colours of the command line. Only the terminal's own sixteen, so that they fit whatever it is set to; the light theme
// leaves out yellow and cyan, which can't be read on white. Without colours every text stays as it is.

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly accent: Paint;
  readonly good: Paint;
  readonly bad: Paint;
  readonly warning: Paint;
}

type Paint = (text: string) => string;

export interface StyleFacts {
  readonly isTerminal: boolean;
  readonly theme: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const asItIs: Paint = (text) => text;

export const plainStyle: Style = {
  bold: asItIs,
  dim: asItIs,
  accent: asItIs,
  good: asItIs,
  bad: asItIs,
  warning: asItIs,
};

const darkStyle: Style = {
  bold: code(1, 22),
  dim: code(2, 22),
  accent: code(36, 39),
  good: code(32, 39),
  bad: code(31, 39),
  warning: code(33, 39),
};

const lightStyle: Style = { ...darkStyle, accent: code(34, 39), warning: code(35, 39) };

/** NO_COLOR counts most, then FORCE_COLOR; without either, a terminal that is not dumb gets colours. */
export function chooseStyle({ isTerminal, theme, environment }: StyleFacts): Style {
  const { NO_COLOR: no = "", FORCE_COLOR: force = "", TERM: term } = environment;
  if (no !== "" || force === "0") return plainStyle;
  if (force === "" && (!isTerminal || term === "dumb")) return plainStyle;
  return theme === "light" ? lightStyle : darkStyle;
}

const marks: Readonly<Record<string, keyof Style>> = {
  "✓": "good",
  "✗": "bad",
  "⊘": "warning",
  "!": "warning",
  "…": "warning",
  "↻": "warning",
  "→": "accent",
  "?": "accent",
  "·": "dim",
};

/** The lines of a run's log, each by the mark it starts with: the mark has the colour, the text stays readable. */
export function paintLog(text: string, style: Style): string {
  if (style === plainStyle) return text;
  if (!text.includes("\n")) return paintLine(text, style);
  return text
    .split("\n")
    .map((line) => paintLine(line, style))
    .join("\n");
}

function paintLine(line: string, style: Style): string {
  const mark = line.slice(0, 1);
  if (line.startsWith("▸ ")) return style.bold(line);
  if (line.startsWith("  ")) return style.dim(line);
  const name = line.charAt(1) === " " ? marks[mark] : undefined;
  return name === undefined ? line : `${style[name](mark)}${line.slice(1)}`;
}

function code(on: number, off: number): Paint {
  return (text) => (text === "" ? "" : `\x1b[${on}m${text}\x1b[${off}m`);
}
