// What a run is doing at this moment, as the last lines of a terminal: one per worker, what else is awaited, and a
// bar of the tasks. A pure function of the view and the time.

import { safeLine } from "../../lib/safe-text.ts";
import { formatCost, formatDuration } from "../../workflows/sessions/progress-text.ts";
import type { LiveTurn } from "../../workflows/sessions/live-view.ts";
import type { RunTotals } from "../../workflows/limits/run-spending.ts";
import { type SessionView, totalsOf } from "../../workflows/sessions/session-view.ts";
import type { VisitView } from "../../workflows/sessions/visit-views.ts";
import { cutToWidth, padToWidth, widthOf } from "../width.ts";
import type { Style } from "../style.ts";
import type { RunningCommand } from "../../workflows/sessions/running-commands.ts";

export interface LiveFrame {
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  /** Counts up: the spinner turns. */
  readonly turn: number;
  readonly style: Style;
  /** What the run is doing: `liveRows`. It changes with the view, not with the time. */
  readonly activities: readonly LiveRow[];
}

const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const barWidth = 16;

export interface LiveRow {
  readonly label: string;
  readonly doing: string;
  readonly since: number;
  /** Lines written and removed. */
  readonly changed?: string;
  readonly cost?: string;
}

export function liveLines(view: SessionView, frame: LiveFrame): readonly string[] {
  const rows = frame.activities;
  // The log above it must stay readable.
  const room = Math.max(1, Math.min(rows.length, Math.floor(frame.rows / 2) - 2));
  const labels = Math.max(0, ...rows.slice(0, room).map(({ label }) => widthOf(label)));
  const shown = rows.slice(0, room).map((row) => rowText(row, labels, frame));
  const hidden = rows.length - shown.length;
  const lines = [
    ...shown,
    ...(hidden > 0 ? [frame.style.dim(fit(`  … and ${hidden} more at work`, frame))] : []),
    ...waitLines(view, frame),
    statusLine(view, frame),
  ];
  // A terminal of a few rows would scroll at each drawing.
  return lines.slice(-Math.max(1, frame.rows - 1));
}

/**
 * One per agent's turn, per check or set-up command (`commands`), and per node that does something else. `visits`: those
 * that run or wait to retry.
 */
export function liveRows(
  view: SessionView,
  commands: readonly RunningCommand[],
  visits: readonly VisitView[],
): readonly LiveRow[] {
  const turns = [...view.live.values()];
  const isShown = new Set([...turns, ...commands].flatMap(({ key = "" }) => [key, ...keysAround(key)]));
  for (const { key, state } of visits) if (state === "running") for (const outer of keysAround(key)) isShown.add(outer);
  return [
    ...turns.toSorted(byWorker).map((turn) => turnRow(turn, view)),
    ...commands.map((command) => commandRow(command, view)),
    // What happens inside a node says more than the node.
    ...visits.filter(({ key }) => !isShown.has(key)).map((visit) => visitRow(visit, view)),
  ];
}

function byWorker(a: LiveTurn, b: LiveTurn): number {
  return (a.worker ?? 0) - (b.worker ?? 0);
}

/** `a#1/b#2/c#1` is inside of `a#1/b#2` and of `a#1`. */
function keysAround(key: string): readonly string[] {
  const parts = key.split("/");
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join("/"));
}

function turnRow(turn: LiveTurn, view: SessionView): LiveRow {
  const cost = view.turns.get(turn.turn)?.used.costUsd ?? 0;
  const { added, removed } = turn;
  return {
    label: labelOf(turn.task, turn.node ?? "", view),
    doing: doingOf(turn),
    since: turn.startedAt,
    changed: added + removed === 0 ? "" : `+${added} −${removed}`,
    cost: cost > 0 ? `$${cost.toFixed(4)}` : "",
  };
}

function doingOf({ agents }: LiveTurn): string {
  const self = agents.get("");
  const helpers = agents.size - (self === undefined ? 0 : 1);
  const tool = self?.tools.at(-1) ?? [...agents.values()].findLast(({ tools }) => tools.length > 0)?.tools.at(-1);
  const does = tool === undefined ? "thinking" : `${safeLine(tool.name, 30)} ${safeLine(tool.title, 200)}`.trimEnd();
  if (helpers === 0) return does;
  return `${does} (${helpers} ${helpers === 1 ? "sub-agent" : "sub-agents"})`;
}

function commandRow({ command, task, node, since }: RunningCommand, view: SessionView): LiveRow {
  return { label: labelOf(task, node, view), doing: `$ ${safeLine(command, 200)}`, since };
}

function visitRow({ node, state, attempt, since }: VisitView, view: SessionView): LiveRow {
  const doing = state === "retrying" ? "waiting to retry" : attempt > 1 ? `attempt ${attempt}` : "";
  return { label: labelOf(undefined, node, view), doing, since };
}

function labelOf(task: string | undefined, node: string, view: SessionView): string {
  if (task !== undefined) {
    const title = view.tasks.get(task)?.title ?? "";
    return `${safeLine(task, 20)}  ${safeLine(title, 100)}`.trimEnd();
  }
  const described = view.descriptions[node];
  return safeLine(typeof described === "string" ? described : node, 100);
}

/** `labels`: the width of the widest label, so that what workers do stands in one column. */
function rowText({ label, doing, since, changed = "", cost = "" }: LiveRow, labels: number, frame: LiveFrame): string {
  const { now, columns, style, turn } = frame;
  const mark = spinner.charAt(turn % spinner.length);
  const right = [changed, formatDuration(Math.max(0, now - since)), cost].filter((part) => part !== "").join("  ");
  // The mark before it, two spaces on either side of the middle, and the last column, where some terminals wrap.
  const room = columns - 2 - widthOf(right) - 3;
  if (room < 12) return `${style.accent(mark)} ${cutToWidth(label, Math.max(1, columns - 3))}`;
  const labelWidth = Math.min(labels, Math.max(10, Math.floor(room * 0.45)));
  const middle = room - labelWidth - 2;
  const left = padToWidth(cutToWidth(label, labelWidth), labelWidth);
  if (middle < 8) return `${style.accent(mark)} ${padToWidth(cutToWidth(label, room), room)}  ${style.dim(right)}`;
  return `${style.accent(mark)} ${left}  ${style.dim(padToWidth(cutToWidth(doing, middle), middle))}  ${style.dim(right)}`;
}

function waitLines(view: SessionView, frame: LiveFrame): readonly string[] {
  const { now, style } = frame;
  const lines: string[] = [];
  if (view.waitingUntil !== undefined && view.waitingUntil > now) {
    const what = view.waitingFor === "rate_limited" ? "a rate limit" : "the model's service";
    lines.push(`… waiting for ${what}, ${formatDuration(view.waitingUntil - now)} left`);
  }
  for (const question of view.questions.values())
    lines.push(`? waiting for an answer: ${safeLine(question.text, 200)}`);
  return lines.slice(0, 3).map((line) => style.warning(fit(line, frame)));
}

/** `▓▓▓▓░░░░  3 of 8 tasks · $0.3810 · 2m 10s · Ctrl+C pauses`. Cost and time stay, also where there is little room. */
function statusLine(view: SessionView, frame: LiveFrame): string {
  const totals = totalsOf(view);
  const active = totals.activeMs + (view.status === "running" ? Math.max(0, frame.now - view.updatedAt) : 0);
  const tasks = view.tasks.size;
  const hasSpent = totals.turns > 0 || totals.costUsd > 0;
  const counted = tasks === 0 ? [] : [`${view.completedTasks} of ${tasks} ${tasks === 1 ? "task" : "tasks"}`];
  const textOf = (cost: string, ...more: readonly string[]): string =>
    [...counted, ...(hasSpent ? [cost] : []), formatDuration(active), ...more].join(" · ");
  const barOf = (width: number): number => (tasks === 0 ? 0 : width);
  const short = textOf(shortCostOf(totals));
  const layouts = [
    { bar: barOf(barWidth), text: textOf(formatCost(totals), "Ctrl+C pauses") },
    { bar: barOf(barWidth), text: textOf(shortCostOf(totals), "Ctrl+C pauses") },
    { bar: barOf(barWidth), text: short },
    { bar: barOf(barWidth / 2), text: short },
  ];
  const room = frame.columns - 1;
  const { bar, text } = layouts.find((each) => each.bar + 2 + widthOf(each.text) <= room) ?? { bar: 0, text: short };
  const full = tasks === 0 ? 0 : Math.round((view.completedTasks / tasks) * bar);
  const drawn = `${frame.style.accent("▓".repeat(full))}${frame.style.dim("░".repeat(bar - full))}`;
  return `${bar === 0 ? "" : drawn}${frame.style.dim(fit(`  ${text}`, frame))}`;
}

/** `≥ $0.3810` where some turns did not say what they cost. */
function shortCostOf(totals: RunTotals): string {
  const isPart = totals.turnsWithoutCost > 0 && totals.turnsWithoutCost < totals.turns;
  return isPart ? `≥ $${totals.costUsd.toFixed(4)}` : formatCost(totals);
}

function fit(text: string, { columns }: LiveFrame): string {
  return cutToWidth(text, Math.max(1, columns - 1));
}
