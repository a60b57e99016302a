// A graph as a drawing for the terminal: its nodes in the order they are reached, one below the other, and every edge
// that does not lead to the next one as a line at the right. Works for any graph, loops included, and never recurses.

import type { GraphView, GraphViewEdge, GraphViewNode } from "./graph-view.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { orderNodes } from "./order-nodes.ts";

/** More parallel lines than this can't be followed: then the edges are listed instead. */
const maxLanes = 40;

interface Lane {
  readonly from: number;
  readonly to: number;
  /** A condition, a goto or an error: followed only sometimes. */
  readonly isSometimes: boolean;
  column: number;
}

/** `columns`: how wide the terminal is; a drawing that does not fit would fall apart there. */
export function drawGraph(view: GraphView, columns = Number.POSITIVE_INFINITY): string {
  const nodes = orderNodes(view);
  const rows = new Map(nodes.map((node, i) => [node.id, i]));
  const isNext = (edge: GraphViewEdge): boolean => (rows.get(edge.to) ?? 0) === (rows.get(edge.from) ?? 0) + 1;
  const lanes = layLanes(
    view.edges.filter((edge) => !isNext(edge)),
    rows,
  );
  const width = lanes.reduce((most, lane) => Math.max(most, lane.column + 1), 0);
  const spine = new Map(view.edges.filter(isNext).map((edge) => [rows.get(edge.from), isSometimes(edge) ? "┊" : "│"]));
  const labels = nodes.map((node) => `● ${safeLine(node.label, 60)}  ${kindText(node)}`);
  const room = labels.reduce((most, label) => Math.max(most, Bun.stringWidth(label)), 0) + 2;
  if (width > maxLanes || (width > 0 && room + 2 + width * 2 > columns + 1)) return listEdges(view, nodes);
  const lines = nodes.flatMap((_, row) => {
    const label = labels[row] ?? "";
    const padding = " ".repeat(room - Bun.stringWidth(label));
    const below = spine.get(row);
    const isLast = row === nodes.length - 1;
    return [
      `${label}${padding}${laneText(lanes, row, "in", width)}`.trimEnd(),
      ...(isLast && !lanes.some((lane) => lane.from === row)
        ? []
        : [`${below ?? " "}${" ".repeat(room - 1)}${laneText(lanes, row, "out", width)}`.trimEnd()]),
    ];
  });
  return `${lines.join("\n")}\n\n${legend}`;
}

const legend = "│ always   ┊ under a condition, by goto or on error   ◀ leads here";

function isSometimes({ kind }: GraphViewEdge): boolean {
  return kind !== "always";
}

function kindText({ kind, subgraph }: GraphViewNode): string {
  if (kind === "subgraph" && subgraph !== undefined) return `(workflow ${safeLine(subgraph, 60)})`;
  return `(${kind === "ask_user" || kind === "wait" ? "question" : kind})`;
}

/** Short edges get the inner columns; two edges share a column when they don't overlap. */
function layLanes(edges: readonly GraphViewEdge[], rows: ReadonlyMap<string, number>): readonly Lane[] {
  const lanes = edges.map((edge): Lane => {
    const from = rows.get(edge.from) ?? 0;
    const to = rows.get(edge.to) ?? 0;
    return { from, to, isSometimes: isSometimes(edge), column: 0 };
  });
  const taken: (readonly [number, number])[][] = [];
  for (const lane of lanes.toSorted((a, b) => Math.abs(a.from - a.to) - Math.abs(b.from - b.to))) {
    const [low, high] = [Math.min(lane.from, lane.to), Math.max(lane.from, lane.to)];
    let column = 0;
    while (column <= maxLanes && taken[column]?.some(([start, end]) => low <= end && start <= high)) column++;
    lane.column = column;
    (taken[column] ??= []).push([low, high]);
  }
  return lanes;
}

/** The lines at the right of a row: where edges come in, or where they leave, and what passes by. */
function laneText(lanes: readonly Lane[], row: number, side: "in" | "out", width: number): string {
  const here = lanes.filter((lane) => (side === "in" ? lane.to === row : lane.from === row));
  const reach = Math.max(...here.map((lane) => lane.column), -1);
  let text = reach < 0 ? "  " : side === "in" ? "◀─" : "──";
  for (let column = 0; column < width; column++) {
    const ends = here.filter((lane) => lane.column === column);
    const passing = lanes.find((lane) => lane.column === column && isPassing(lane, row, side));
    const isBefore = column < reach;
    text += ends.length > 0 ? corner(ends, row, side, isBefore) : cross(passing, isBefore);
    text += isBefore ? "─" : " ";
  }
  return text;
}

/** Is the vertical part of the lane in this line? A node has two lines: edges come in above and leave below. */
function isPassing(lane: Lane, row: number, side: "in" | "out"): boolean {
  const at = row * 2 + (side === "in" ? 0 : 1);
  const start = lane.from * 2 + 1;
  const end = lane.to * 2;
  return at > Math.min(start, end) && at < Math.max(start, end);
}

function corner(ends: readonly Lane[], row: number, side: "in" | "out", isBefore: boolean): string {
  const others = ends.map((lane) => (side === "in" ? lane.from : lane.to));
  // Edges come in on the first line of a node and leave on its second one: a loop onto itself goes down to up.
  const isUp = others.some((other) => (side === "in" ? other < row : other <= row));
  const isDown = others.some((other) => (side === "in" ? other >= row : other > row));
  if (isUp && isDown) return isBefore ? "┼" : "┤";
  if (isUp) return isBefore ? "┴" : "╯";
  return isBefore ? "┬" : "╮";
}

function cross(passing: Lane | undefined, isBefore: boolean): string {
  if (passing === undefined) return isBefore ? "─" : " ";
  return isBefore ? "┼" : passing.isSometimes ? "┊" : "│";
}

function listEdges({ edges }: GraphView, nodes: readonly GraphViewNode[]): string {
  const names = new Map(nodes.map((node) => [node.id, safeLine(node.label, 60)]));
  const lines = nodes.map((node) => {
    const targets = edges.filter((edge) => edge.from === node.id).map((edge) => names.get(edge.to) ?? edge.to);
    return `● ${names.get(node.id)}  ${kindText(node)}${targets.length === 0 ? "" : `  → ${targets.join(", ")}`}`;
  });
  return lines.join("\n");
}
