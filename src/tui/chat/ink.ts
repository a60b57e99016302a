// Colours of a theme as the renderer takes them. A text without a colour would be white on any background, so every one
// gets one; without colours it is the terminal's own, and attributes stand in for what colours say.

import { RGBA, SyntaxStyle, TextAttributes } from "@opentui/core";
import type { Theme } from "../theme.ts";

export interface Ink {
  readonly fg: RGBA;
  readonly attributes: number;
}

export interface Inks {
  readonly text: Ink;
  readonly strong: Ink;
  readonly muted: Ink;
  readonly accent: Ink;
  readonly good: Ink;
  readonly bad: Ink;
  readonly selected: Ink;
  readonly background: RGBA;
  readonly panel: RGBA;
  /** Undefined while Markdown can't be highlighted: it is shown as it is written. */
  readonly markdown: SyntaxStyle | undefined;
}

export function inksOf(theme: Theme, isHighlighted: boolean): Inks {
  const { BOLD, DIM, INVERSE, NONE } = TextAttributes;
  const isPlain = theme.name === "none";
  const ink = (colour: string | undefined, attributes: number = NONE, plain: number = NONE): Ink => ({
    fg: colour === undefined ? RGBA.defaultForeground() : RGBA.fromHex(colour),
    attributes: isPlain ? plain : attributes,
  });
  const ground = (colour: string | undefined): RGBA =>
    colour === undefined ? RGBA.defaultBackground() : RGBA.fromHex(colour);
  return {
    text: ink(theme.foreground),
    strong: ink(theme.foreground, BOLD, BOLD),
    muted: ink(theme.muted, NONE, DIM),
    accent: ink(theme.accent, BOLD, BOLD),
    good: ink(theme.good),
    bad: ink(theme.bad, BOLD, BOLD),
    selected: ink(theme.accent, BOLD, INVERSE),
    background: ground(theme.background),
    panel: ground(theme.panel),
    markdown: isHighlighted ? markdownStyle(theme) : undefined,
  };
}

function markdownStyle(theme: Theme): SyntaxStyle {
  const colour = (value: string | undefined): RGBA =>
    value === undefined ? RGBA.defaultForeground() : RGBA.fromHex(value);
  const accent = colour(theme.accent);
  const muted = colour(theme.muted);
  const code = colour(theme.code);
  return SyntaxStyle.fromStyles({
    default: { fg: colour(theme.foreground) },
    keyword: { fg: accent, bold: true },
    string: { fg: colour(theme.good) },
    number: { fg: code },
    comment: { fg: muted, italic: true },
    function: { fg: accent },
    type: { fg: code },
    conceal: { fg: muted },
    "markup.heading": { fg: accent, bold: true },
    "markup.strong": { bold: true },
    "markup.italic": { italic: true },
    "markup.raw": { fg: code },
    "markup.list": { fg: accent },
    "markup.link": { fg: accent, underline: true },
    "markup.quote": { fg: muted },
  });
}
