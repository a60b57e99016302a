// The timeline under mission control: where nodes began and failed, and the moment that is shown.
// Also the steps of scrubbing. Pure.

import { cutLine, type InkName, type Line, lineColumns, type Piece, piece } from "../rows/line.ts";
import { clockTime } from "./lanes.ts";
import type { TimelineMark } from "./watch-run.ts";

export interface TimeBar {
  readonly marks: readonly TimelineMark[];
  /** How many events there are. */
  readonly total: number;
  /** The event that is looked at; undefined: live. */
  readonly seq: number | undefined;
  /** When that was. */
  readonly at: number;
  /** Nothing more will come, or it is not known to. */
  readonly isOver: boolean;
  readonly isRead: boolean;
}

/** `◀ 13:51 ──▪──▪▪───▪─┃──── 812/1204 ── live ▶`. */
export function timeBarLine({ marks, total, seq, at, isOver, isRead }: TimeBar, width: number): Line {
  const left = [piece(`◀ ${clockTime(at)} `, seq === undefined ? "muted" : "accent")];
  const count = isRead ? `${seq ?? total}/${total}` : `reading ${total}`;
  const end = seq === undefined ? (isOver ? " end ▶" : " live ▶") : isOver ? " end ▷" : " live ▷";
  const right = [piece(` ${count} `, "muted"), piece(end, seq === undefined ? "accent" : "muted")];
  const room = width - lineColumns(left) - lineColumns(right);
  if (room < 4) return cutLine([...left, ...right], width);
  return [...left, ...trackOf(marks, total, seq, room), ...right];
}

interface Cell {
  readonly sign: string;
  readonly ink: InkName;
}

function trackOf(
  marks: readonly TimelineMark[],
  total: number,
  seq: number | undefined,
  room: number,
): readonly Piece[] {
  const place = (number: number): number =>
    total <= 1 ? 0 : Math.min(room - 1, Math.floor(((number - 1) / (total - 1)) * (room - 1)));
  const cells = Array.from({ length: room }, (): Cell => ({ sign: "─", ink: "muted" }));
  for (const { seq: number, kind } of marks) {
    const at = place(number);
    const rank = (sign: string): number => ["─", "▪", "?", "✗"].indexOf(sign);
    const cell: Cell =
      kind === "failed"
        ? { sign: "✗", ink: "bad" }
        : kind === "question"
          ? { sign: "?", ink: "accent" }
          : { sign: "▪", ink: "muted" };
    if (rank(cell.sign) > rank(cells[at]?.sign ?? "─")) cells[at] = cell;
  }
  if (seq !== undefined) cells[place(seq)] = { sign: "┃", ink: "accent" };
  return joined(cells);
}

function joined(cells: readonly Cell[]): readonly Piece[] {
  const pieces: { text: string; ink: InkName }[] = [];
  for (const { sign, ink } of cells) {
    const last = pieces.at(-1);
    if (last?.ink === ink) last.text += sign;
    else pieces.push({ text: sign, ink });
  }
  return pieces;
}

export type Scrub = "back" | "forward" | "nodeBack" | "nodeForward" | "first" | "live" | "farBack" | "farForward";

/** The moment to show after a step. Undefined: live. */
export function scrub(
  seq: number | undefined,
  step: Scrub,
  { total, marks }: { readonly total: number; readonly marks: readonly TimelineMark[] },
): number | undefined {
  if (total === 0 || step === "live") return undefined;
  const now = seq ?? total;
  const far = Math.max(1, Math.round(total / 20));
  switch (step) {
    case "first":
      return 1;
    case "back":
      return Math.max(1, now - 1);
    case "forward":
      return seq === undefined ? undefined : Math.min(total, now + 1);
    case "farBack":
      return Math.max(1, now - far);
    case "farForward":
      return seq === undefined ? undefined : Math.min(total, now + far);
    case "nodeBack":
      return nearestMark(marks, now, -1)?.seq ?? 1;
    case "nodeForward":
      return seq === undefined ? undefined : (nearestMark(marks, now, 1)?.seq ?? total);
  }
}

/** The next node, failure or question before or after. */
function nearestMark(marks: readonly TimelineMark[], seq: number, way: 1 | -1): TimelineMark | undefined {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((marks[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  // `low` is the first that is not before.
  if (way === -1) return marks[low - 1];
  return marks[low]?.seq === seq ? marks[low + 1] : marks[low];
}
