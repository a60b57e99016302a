// Mission control as lines: the head, the spine beside the lanes, and the tasks. Pure; the
// selection and the moment to show are passed in.

import type { WorkflowTask } from "../../tasks/workflow-task.ts";
import { activeMs } from "../../workflows/limits/run-spending.ts";
import { plainMarkdown } from "../../lib/plain-markdown.ts";
import { shortTime } from "../chat/format.ts";
import {
  columnsOf,
  cut,
  cutLine,
  fit,
  fitRight,
  type InkName,
  type Line,
  lineColumns,
  type Piece,
  piece,
  rowsAround,
  spread,
} from "../rows/line.ts";
import type { RunRowStatus } from "../runs/runs-port.ts";
import { activityBars } from "./activity.ts";
import { clockTime, type Lane, type SubLane, taskLabel } from "./lanes.ts";
import type { RunMoment } from "./run-facts.ts";
import { spineLines, spineWidth } from "./spine.ts";

export interface HeadFacts {
  readonly moment: RunMoment;
  readonly status: RunRowStatus;
  /** False while the past is shown. */
  readonly isLive: boolean;
  readonly now: number;
}

/** `ralph a1b2c3d4   Working on the tasks   3/7   $1.92 of $5   12m   live`. */
export function headLine({ moment, status, isLive, now }: HeadFacts, width: number): Line {
  const { view, maxCostUsd } = moment;
  const { spending } = view;
  const shown = isLive ? status : view.status;
  const phase = view.phase !== undefined && shown === "running" ? [view.phase] : [];
  const iteration = view.iteration > 0 ? [iterationText(view.iteration, view.maxIterations)] : [];
  // What comes last is cut first.
  const isNarrow = width < 80;
  const facts = [
    ...(isNarrow ? [] : phase),
    ...(view.tasks.size > 0 ? [`${view.completedTasks}/${view.tasks.size}`] : []),
    ...(isNarrow ? [] : iteration),
    ...(spending.costUsd > 0 || maxCostUsd !== undefined ? [costText(spending.costUsd, maxCostUsd)] : []),
    shortTime(activeMs(spending, shown === "running" && view.status === "running" ? now : view.updatedAt)),
    ...(isNarrow ? [...iteration, ...phase] : []),
  ];
  const state = isLive
    ? piece(status === "running" ? "live" : status, statusInk(status))
    : piece("past · read-only", "accent");
  return spread(
    [
      piece(cut(view.workflow, 24), "strong"),
      piece(` ${view.id.slice(0, 8)}   `, "muted"),
      piece(facts.map((each) => cut(each, 60)).join("   ")),
    ],
    [state],
    width,
  );
}

function iterationText(iteration: number, most: number): string {
  return most > 0 ? `iteration ${iteration} of ${most}` : `iteration ${iteration}`;
}

function costText(costUsd: number, most: number | undefined): string {
  return most === undefined ? `$${costUsd.toFixed(2)}` : `$${costUsd.toFixed(2)} of $${most}`;
}

function statusInk(status: RunRowStatus): InkName {
  if (status === "failed" || status === "interrupted" || status === "unreadable") return "bad";
  return status === "completed" ? "good" : "accent";
}

export interface WaitKeys {
  readonly answer: string;
  readonly resume: string;
}

/** Undefined while it simply works. A long text is cut before what can be done about it. */
export function waitLine(facts: HeadFacts, keys: WaitKeys, width: number): Line | undefined {
  const pieces = waitPieces(facts, keys);
  if (pieces === undefined) return undefined;
  const [what, ...hint] = pieces;
  return [...cutLine([what], Math.max(1, width - lineColumns(hint))), ...hint];
}

/** What it waits for, and until when; why it stopped. Then what can be done about that. */
function waitPieces(
  { moment, status, isLive, now }: HeadFacts,
  keys: WaitKeys,
): readonly [Piece, ...Piece[]] | undefined {
  const { view } = moment;
  // Nothing can be done about the past.
  const hint = (text: string): Line => (isLive ? [piece(`   ${text}`, "muted")] : []);
  const questions = [...view.questions.values()];
  const [question] = questions;
  if (question !== undefined && view.status !== "completed" && view.status !== "cancelled") {
    const more = questions.length > 1 ? [piece(` (${questions.length - 1} more)`, "accent")] : [];
    return [piece(`? ${cut(plainMarkdown(question.text), 300)}`, "accent"), ...more, ...hint(`${keys.answer} answers`)];
  }
  if (view.status === "running" && view.waitingUntil !== undefined && view.waitingUntil > now)
    return [
      piece(`⧗ waits for ${waitName(view.waitingFor)} until ${clockTime(view.waitingUntil)}`, "accent"),
      piece(`   ${shortTime(view.waitingUntil - now)} more`, "muted"),
    ];
  const resumes = hint(`${keys.resume} resumes`);
  if (status === "interrupted") return [piece("! Its process is gone.", "bad"), ...resumes];
  if (view.status === "paused")
    return [piece(`‖ ${cut(view.message ?? `paused (${view.reason ?? "paused"})`, 200)}`), ...resumes];
  if (view.status === "failed") return [piece(`✗ ${cut(view.message ?? "failed", 300)}`, "bad"), ...resumes];
  return undefined;
}

function waitName(kind: string | undefined): string {
  return kind === "overloaded" ? "the model's service" : "a rate limit";
}

export interface BodyFacts {
  readonly moment: RunMoment;
  readonly lanes: readonly Lane[];
  readonly selected: string | undefined;
  readonly now: number;
}

/** The spine at the left, the lanes at the right. */
export function bodyLines({ moment, lanes, selected, now }: BodyFacts, width: number, rows: number): readonly Line[] {
  const spine = spineWidth(moment, width >= 90 ? 22 : 14);
  const gap = spine === 0 ? 0 : 3;
  const left = spine === 0 ? [] : spineLines(moment, spine, rows);
  const right = laneLines({ moment, lanes, selected, now }, width - spine - gap, rows);
  const count = Math.min(rows, Math.max(left.length, right.length));
  return Array.from({ length: count }, (_, i) => [
    ...(left[i] ?? (spine === 0 ? [] : [piece(" ".repeat(spine))])),
    piece(" ".repeat(gap)),
    ...(right[i] ?? []),
  ]);
}

function laneLines({ moment, lanes, selected, now }: BodyFacts, width: number, rows: number): readonly Line[] {
  const rest = restLines(moment, lanes, width);
  const room = Math.max(1, rows - rest.length);
  const chosen = Math.max(
    0,
    lanes.findIndex(({ id }) => id === selected),
  );
  const lines = lanes.flatMap((lane, i) => [
    { line: laneLine(lane, i === chosen, now, width), at: i },
    ...lane.agents.map((agent) => ({ line: agentLine(agent, width), at: i })),
  ]);
  const place = lines.findIndex(({ at }) => at === chosen);
  const [from, to] = rowsAround(lines.length, Math.max(0, place), room);
  const shown = lines.slice(from, to).map(({ line }) => line);
  const hidden = lanes.length - new Set(lines.slice(from, to).map(({ at }) => at)).size;
  if (hidden > 0) shown[shown.length - 1] = [piece(`  … ${hidden + 1} more ↓`, "muted")];
  return [...shown, ...rest];
}

function laneLine(lane: Lane, isSelected: boolean, now: number, width: number): Line {
  const [sign, ink] = laneSign(lane);
  const hasChange = width >= 58;
  const hasBars = width >= 66;
  const name = Math.max(8, Math.min(26, Math.floor(width * 0.28)));
  const time = fitRight(lane.ms > 0 ? shortTime(lane.ms) : "", 7);
  const cost = fitRight(lane.costUsd > 0 ? `$${lane.costUsd.toFixed(2)}` : "", 7);
  const bars = hasBars ? ` ${fit(lane.state === "working" ? activityBars(lane.ticks, now) : "", 6)}` : "";
  const isChanged = lane.added + lane.removed > 0;
  const change: Line = hasChange
    ? isChanged
      ? [piece(`${fitRight(`+${lane.added}`, 6)} `, "good"), piece(fit(`−${lane.removed}`, 5), "bad")]
      : [piece(" ".repeat(12))]
    : [];
  const taken = 4 + name + 1 + time.length + cost.length + (hasChange ? 12 : 0) + columnsOf(bars);
  return [
    piece(isSelected ? "❯ " : "  ", "accent"),
    piece(`${sign} `, ink),
    piece(`${fit(lane.name, name)} `, isSelected ? "selected" : "strong"),
    piece(fit(lane.doing, Math.max(4, width - taken)), lane.state === "working" ? "text" : ink),
    piece(time + cost, "muted"),
    ...change,
    piece(bars, "accent"),
  ];
}

function laneSign({ state }: Lane): readonly [string, InkName] {
  switch (state) {
    case "working":
      return ["◐", "accent"];
    case "asks":
      return ["?", "accent"];
    case "waits":
      return ["⧗", "text"];
    case "failed":
      return ["✗", "bad"];
  }
}

function agentLine({ name, doing, ms, depth }: SubLane, width: number): Line {
  return cutLine(
    [
      piece(`    ${"  ".repeat(Math.min(depth, 4))}└ `, "muted"),
      piece(`${cut(name, 16)}  `),
      piece(cut(doing, Math.max(8, width - 34)), "muted"),
      piece(`  ${shortTime(ms)}`, "muted"),
    ],
    width,
  );
}

/** What is done and what is still to come, packed: `✓ 1  ✓ 2   ○ 7 needs 3, 4`. */
function restLines({ view }: RunMoment, lanes: readonly Lane[], width: number): readonly Line[] {
  const shown = new Set(lanes.map(({ task }) => task));
  const rest = [...view.tasks.values()].filter(({ id }) => !shown.has(id));
  if (rest.length === 0) return [];
  const done = rest.filter(({ status }) => status === "completed");
  const open = rest.filter(({ status }) => status !== "completed");
  const pieces = [
    ...done.map(({ id }) => piece(`✓ ${cut(id, 12)}  `, "good")),
    ...open.map((task) => piece(`${openText(task, view.tasks)}   `, "muted")),
  ];
  return pack(pieces, width - 4, 2).map((line) => [piece("    "), ...line]);
}

function openText(task: WorkflowTask, tasks: { get(id: string): WorkflowTask | undefined }): string {
  const needs = openBlockers(task, tasks);
  return `○ ${cut(needs.length === 0 ? taskLabel(task) : task.id, 24)}${needs.length === 0 ? "" : ` needs ${needs.join(", ")}`}`;
}

function openBlockers(
  { blockedBy = [] }: WorkflowTask,
  tasks: { get(id: string): WorkflowTask | undefined },
): readonly string[] {
  return blockedBy.filter((id) => tasks.get(id)?.status !== "completed").map((id) => cut(id, 12));
}

/** As many as fit into this many lines; the last says how many are left. */
function pack(pieces: Line, width: number, most: number): readonly Line[] {
  const lines: Line[] = [];
  let line: Line = [];
  let used = 0;
  for (const [i, each] of pieces.entries()) {
    const columns = columnsOf(each.text);
    if (used + columns > width && line.length > 0) {
      if (lines.length + 1 === most)
        return [...lines, [...line.slice(0, -1), piece(`… ${pieces.length - i + 1} more`, "muted")]];
      lines.push(line);
      line = [];
      used = 0;
    }
    line = [...line, each];
    used += columns;
  }
  return [...lines, line];
}

/** All tasks, one line each, with what they wait for. */
export function taskLines(
  moment: RunMoment,
  selected: string | undefined,
  width: number,
  rows: number,
): readonly Line[] {
  const tasks = [...moment.view.tasks.values()];
  if (tasks.length === 0) return [[piece("This run has no tasks.", "muted")]];
  const chosen = Math.max(
    0,
    tasks.findIndex(({ id }) => `task ${id}` === selected),
  );
  const [from, to] = rowsAround(tasks.length, chosen, rows);
  const ids = width < 80 ? 6 : Math.max(6, ...tasks.map(({ id }) => columnsOf(cut(id, 16))));
  return tasks.slice(from, to).map((task, i) => taskLine(task, moment, from + i === chosen, { width, ids }));
}

interface TaskColumns {
  readonly width: number;
  readonly ids: number;
}

function taskLine(task: WorkflowTask, { view }: RunMoment, isSelected: boolean, { width, ids }: TaskColumns): Line {
  const needs = openBlockers(task, view.tasks);
  const spent = view.spentByTask.get(task.id)?.costUsd ?? 0;
  const [sign, ink] = taskSign(task.status);
  const about =
    task.status === "failed"
      ? (task.error ?? "failed")
      : needs.length > 0 && task.status !== "completed"
        ? `needs ${needs.join(", ")}`
        : task.isSkipped === true
          ? "skipped"
          : task.status.replace("_", " ");
  const cost = fitRight(spent > 0 ? `$${spent.toFixed(2)}` : "", 8);
  const id = fit(task.id, ids);
  const room = Math.max(8, width - 4 - ids - 1 - cost.length);
  const title = Math.max(4, Math.floor(room * 0.6));
  return [
    piece(isSelected ? "❯ " : "  ", "accent"),
    piece(`${sign} `, ink),
    piece(`${id} `, "muted"),
    piece(fit(task.title, title), isSelected ? "selected" : "text"),
    piece(
      fit(`  ${about}`.trimEnd() === "" ? "" : ` ${about}`, room - title),
      task.status === "failed" ? "bad" : "muted",
    ),
    piece(cost, "muted"),
  ];
}

function taskSign(status: WorkflowTask["status"]): readonly [string, InkName] {
  switch (status) {
    case "completed":
      return ["✓", "good"];
    case "in_progress":
      return ["◐", "accent"];
    case "failed":
      return ["✗", "bad"];
    case "blocked":
      return ["⊘", "bad"];
    case "pending":
      return ["○", "muted"];
  }
}
