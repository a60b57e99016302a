// The graph as a spine: its nodes in order, the current ones lit. Pure.

import type { NodeView } from "../../workflows/sessions/visit-views.ts";
import { columnsOf, fit, type InkName, type Line, piece, rowsAround } from "../rows/line.ts";
import type { RunMoment } from "./run-facts.ts";

/** How wide it is; 0 where there is nothing to show. */
export function spineWidth(moment: RunMoment, most: number): number {
  const names = spineNodes(moment);
  if (names.length === 0) return 0;
  return Math.min(most, Math.max(...names.map((name) => columnsOf(label(moment, name)))) + 2);
}

export function spineLines(moment: RunMoment, width: number, rows: number): readonly Line[] {
  const names = spineNodes(moment);
  const current = names.findIndex((name) => isCurrent(moment.view.nodes.get(name)));
  const reached = names.findLastIndex((name) => (moment.view.nodes.get(name)?.visits ?? 0) > 0);
  const [from, to] = rowsAround(names.length, Math.max(0, current === -1 ? reached : current), rows);
  const shown = names.slice(from, to);
  const isSpaced = shown.length * 2 - 1 <= rows;
  return shown.flatMap((name, i) => {
    const node = moment.view.nodes.get(name);
    const [sign, ink] = signOf(node, moment);
    const line = [
      piece(`${sign} `, ink),
      piece(fit(label(moment, name), width - 2), isCurrent(node) ? "strong" : "muted"),
    ];
    const isLast = i === shown.length - 1;
    return isSpaced && !isLast ? [line, [piece(fit("│", width), "muted")]] : [line];
  });
}

/** Those of the graph without what only routes, and what runs beside them: nodes of graphs inside. */
function spineNodes({ view }: RunMoment): readonly string[] {
  const all = view.graph?.nodes ?? [];
  const known = new Set(all.map(({ id }) => id));
  const shown = all.filter(({ type }) => type !== "control").map(({ id }) => id);
  return [...shown, ...[...view.nodes.keys()].filter((name) => !known.has(name) && isCurrent(view.nodes.get(name)))];
}

function label({ view }: RunMoment, name: string): string {
  const running = [...view.visits.values()].filter(({ node, state }) => node === name && state === "running").length;
  const lanes = [...view.turns.values()].filter(({ node, outcome }) => node === name && outcome === undefined).length;
  const count = Math.max(running, lanes);
  return count > 1 ? `${name} ×${count}` : name;
}

function isCurrent(node: NodeView | undefined): boolean {
  return node !== undefined && (node.state === "running" || node.state === "waiting" || node.state === "retrying");
}

function signOf(node: NodeView | undefined, { view }: RunMoment): readonly [string, InkName] {
  switch (node?.state) {
    case undefined:
    case "pending":
      return ["○", "muted"];
    case "finished":
      return ["●", "good"];
    case "failed":
      return ["✗", "bad"];
    case "interrupted":
      return view.status === "running" ? ["◌", "accent"] : ["‖", "text"];
    case "running":
    case "waiting":
    case "retrying":
      return ["◉", "accent"];
  }
}
