// A terminal's picture as SVG: every run has its own column, so that a reader's font may be wider or narrower than
// ours. Pure.

import type { Run, Style, StyledFrame } from "./styled-frame.ts";

export interface Picture {
  readonly frame: StyledFrame;
  readonly columns: number;
  /** The text for screen readers. */
  readonly title: string;
  /** Of the terminal itself. */
  readonly foreground: string;
  readonly background: string;
}

const cell = { width: 8.4, height: 19, fontSize: 14, baseline: 14 } as const;
const margin = 14;
const fonts = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace";

export function drawSvg(picture: Picture): string {
  const width = length(picture.columns * cell.width + 2 * margin);
  const height = length(picture.frame.length * cell.height + 2 * margin);
  const rows = picture.frame.flatMap((runs, row) => [
    ...runs.flatMap((run) => drawBackground(run, row, picture)),
    ...runs.flatMap((run) => words(run).map((word) => drawWord(word, row, picture))),
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeText(picture.title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${picture.background}"/>`,
    `<g font-family="${fonts}" font-size="${cell.fontSize}" xml:space="preserve">`,
    ...rows,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

function drawBackground({ column, columns, style }: Run, row: number, picture: Picture): readonly string[] {
  const { bg } = coloursOf(style, picture);
  if (bg === picture.background) return [];
  const x = length(margin + column * cell.width);
  const y = length(margin + row * cell.height);
  return [
    `<rect x="${x}" y="${y}" width="${length(columns * cell.width)}" height="${cell.height}" fill="${bg}" shape-rendering="crispEdges"/>`,
  ];
}

/** Split at two or more spaces, so that a font of another width moves only letters inside a group of words. */
function words(run: Run): readonly Run[] {
  let column = run.column;
  return run.text
    .split(/( {2,})/)
    .map((text) => {
      const columns = Bun.stringWidth(text);
      const part: Run = { ...run, text, column, columns };
      column += columns;
      return part;
    })
    .filter(({ text }) => text.trim() !== "");
}

function drawWord({ text, column, columns, style }: Run, row: number, picture: Picture): string {
  const { fg } = coloursOf(style, picture);
  const x = length(margin + column * cell.width);
  const y = length(margin + row * cell.height + cell.baseline);
  const attributes = [
    `x="${x}"`,
    `y="${y}"`,
    `textLength="${length(columns * cell.width)}"`,
    `fill="${fg}"`,
    ...(style.isBold ? ['font-weight="bold"'] : []),
    ...(style.isItalic ? ['font-style="italic"'] : []),
    ...(style.isUnderlined ? ['text-decoration="underline"'] : []),
    ...(style.isDim ? ['opacity="0.6"'] : []),
  ];
  return `<text ${attributes.join(" ")}>${escapeText(text)}</text>`;
}

function coloursOf({ fg, bg, isInverse }: Style, picture: Picture): { readonly fg: string; readonly bg: string } {
  const colours = { fg: fg ?? picture.foreground, bg: bg ?? picture.background };
  return isInverse ? { fg: colours.bg, bg: colours.fg } : colours;
}

function length(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
