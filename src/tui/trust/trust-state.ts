// The trust dialog: what is read, what is chosen, and what keys do to it. Pure. It opens by itself, possibly while the
// user is typing: "no" is selected first, and letters are ignored.

import { safeLine, safeText } from "../../lib/safe-text.ts";
import type { PressedKey } from "../keys/bind-keys.ts";
import type { ControlAction } from "../keys/key-table.ts";
import { type Line, piece, wrapLine } from "../rows/line.ts";
import type { ShownFile, TrustChoice, TrustRequest } from "./trust-port.ts";

export interface TrustState {
  readonly selected: number;
  readonly top: number;
  /** All of it, and not only what changed. */
  readonly isWhole: boolean;
}

export const firstTrustState: TrustState = { selected: 0, top: 0, isWhole: false };

export const trustChoices: readonly { readonly choice: TrustChoice; readonly text: string }[] = [
  { choice: "no", text: "No: do not run it" },
  { choice: "trust", text: "Trust this content, and run it" },
  { choice: "once", text: "This run only" },
];

export interface TrustFacts {
  readonly lines: number;
  /** Lines in view. */
  readonly page: number;
}

export function trustKey(
  state: TrustState,
  key: PressedKey,
  action: ControlAction | undefined,
  { lines, page }: TrustFacts,
): { readonly state: TrustState; readonly choice?: TrustChoice | undefined } {
  const scroll = (by: number): { readonly state: TrustState } => ({
    state: { ...state, top: Math.max(0, Math.min(lines - page, state.top + by)) },
  });
  const count = trustChoices.length;
  switch (action) {
    case "close":
    case "interrupt":
      return { state, choice: "no" };
    case "inspect":
      return { state, choice: trustChoices[state.selected]?.choice };
    case "pageUp":
      return scroll(-page);
    case "pageDown":
      return scroll(page);
    case "first":
      return scroll(-lines);
    case "live":
      return scroll(lines);
    case "nextTab":
      return { state: { ...state, isWhole: !state.isWhole, top: 0 } };
    default:
  }
  // Only the arrows: letters that move elsewhere may have been meant for the chat.
  if (key.name === "up") return { state: { ...state, selected: (state.selected + count - 1) % count } };
  if (key.name === "down") return { state: { ...state, selected: (state.selected + 1) % count } };
  return { state };
}

/** Everything that a user needs to decide. */
export function trustLines(subject: TrustRequest, isWhole: boolean, width: number): readonly Line[] {
  // To the last character: what is cut off would run as well.
  return textLines(subject, isWhole).flatMap((line) => wrapLine(line, width));
}

function textLines(subject: TrustRequest, isWhole: boolean): readonly Line[] {
  const { files, packages, runtimeModules, computed } = subject;
  const notes = [
    ...packages.map((each) => `It also loads the package "${safeLine(each)}", which is not checked.`),
    ...(runtimeModules.length > 0 ? [`It uses ${runtimeModules.map((each) => safeLine(each)).join(", ")}.`] : []),
    ...computed.map((each) => `It may load code that only shows when it runs: ${safeLine(each, 300)}`),
    ...(files.length === 0 ? ["It has none now. Trusting it lets agents load its instruction files."] : []),
  ];
  return [
    ...notes.map((text): Line => [piece(`! ${text}`, "accent")]),
    ...files.flatMap((file, i) => [
      ...(i === 0 && notes.length === 0 ? [] : [[]]),
      [piece(safeLine(file.name, 200), "strong"), piece(`  ${file.change}`, "muted")],
      ...fileLines(file, isWhole),
    ]),
  ];
}

function fileLines({ change, text, difference }: ShownFile, isWhole: boolean): readonly Line[] {
  if (change === "removed") return [];
  if (difference !== undefined && !isWhole)
    return difference.map((line): Line => [
      piece(safeText(line), line.startsWith("+") ? "good" : line.startsWith("-") ? "bad" : "muted"),
    ]);
  if (change === "same" && !isWhole) return [];
  const lines = safeText(text ?? "")
    .trimEnd()
    .replaceAll("\t", "  ")
    .split("\n");
  return lines.map((line, i): Line => [piece(`${String(i + 1).padStart(4)} `, "muted"), piece(line)]);
}
