// What mission control shows besides the run itself: the moment that is shown, what is chosen and open; and what keys
// do to it. Pure.

import { answerDialog, confirmCancel, confirmFork, type Dialog, type RunCommand } from "../dialogs/dialog.ts";
import type { ControlAction } from "../keys/key-table.ts";
import { inspectTabs, type InspectTab, type Target } from "./inspect.ts";
import type { Lane } from "./lanes.ts";
import type { RunMoment } from "./run-facts.ts";
import { scrub, type Scrub } from "./time-bar.ts";
import type { TimelineMark } from "./watch-run.ts";

export interface ControlState {
  /** The event that is looked at; undefined: live. */
  readonly seq: number | undefined;
  /** The chosen lane or task, by the lane's id. */
  readonly selected: string | undefined;
  readonly areTasksOpen: boolean;
  readonly inspected: { readonly tab: InspectTab; readonly top: number; readonly target: Target } | undefined;
  readonly areKeysOpen: boolean;
  readonly isLeaving: boolean;
}

export const firstControlState: ControlState = {
  seq: undefined,
  selected: undefined,
  areTasksOpen: false,
  inspected: undefined,
  areKeysOpen: false,
  isLeaving: false,
};

export type ControlEffect =
  | { readonly type: "leave" }
  | { readonly type: "back" }
  /** Undefined: there is nothing to ask about. */
  | { readonly type: "ask"; readonly dialog: Dialog | undefined }
  | RunCommand;

export interface ControlHandled {
  readonly state: ControlState;
  readonly effects: readonly ControlEffect[];
}

export interface ControlFacts {
  readonly run: string;
  readonly total: number;
  readonly marks: readonly TimelineMark[];
  /** At the moment that is shown. */
  readonly moment: RunMoment;
  readonly lanes: readonly Lane[];
  /** As of now: what can be answered, paused or resumed. */
  readonly live: RunMoment;
  /** Lines in an opened step, and how many are in view. */
  readonly lines: number;
  readonly page: number;
}

const only = (state: ControlState, ...effects: readonly ControlEffect[]): ControlHandled => ({ state, effects });

const scrubs: Readonly<Partial<Record<ControlAction, Scrub>>> = {
  back: "back",
  forward: "forward",
  nodeBack: "nodeBack",
  nodeForward: "nodeForward",
  first: "first",
  live: "live",
  pageUp: "farBack",
  pageDown: "farForward",
};

export function controlKey(
  before: ControlState,
  action: ControlAction | undefined,
  facts: ControlFacts,
): ControlHandled {
  const state = { ...before, isLeaving: false };
  if (state.areKeysOpen) return only({ ...state, areKeysOpen: false });
  if (state.inspected !== undefined) return inspectKey(state, state.inspected, action, facts);
  const step = action === undefined ? undefined : scrubs[action];
  if (step !== undefined) return only({ ...state, seq: scrub(state.seq, step, facts) });
  const { run, live } = facts;
  switch (action) {
    case "up":
    case "down":
      return only({ ...state, selected: moved(state, action, facts) });
    case "inspect":
      return only(inspected(state, facts));
    case "tasks":
      return only({ ...state, areTasksOpen: !state.areTasksOpen });
    case "fork":
      return facts.total === 0
        ? only(state)
        : only(state, { type: "ask", dialog: confirmFork(run, state.seq ?? facts.total, facts.total) });
    case "answer":
      return only(state, { type: "ask", dialog: answerDialog(run, [...live.view.questions.values()]) });
    case "pause":
      return only(state, { type: "pause", run });
    case "resume":
      return only(state, { type: "resume", run, isConcurrent: false });
    case "cancel":
      return only(state, { type: "ask", dialog: confirmCancel(run, live.view.workflow) });
    case "keys":
      return only({ ...state, areKeysOpen: true });
    case "close":
      if (state.areTasksOpen) return only({ ...state, areTasksOpen: false });
      return state.seq === undefined ? only(state, { type: "back" }) : only({ ...state, seq: undefined });
    case "interrupt":
      return before.isLeaving ? only(state, { type: "leave" }) : only({ ...state, isLeaving: true });
    default:
      return only(state);
  }
}

function inspectKey(
  state: ControlState,
  open: NonNullable<ControlState["inspected"]>,
  action: ControlAction | undefined,
  { lines, page }: ControlFacts,
): ControlHandled {
  const tab = (by: number): ControlHandled => {
    const at = (inspectTabs.indexOf(open.tab) + by + inspectTabs.length) % inspectTabs.length;
    return only({ ...state, inspected: { ...open, tab: inspectTabs[at] ?? "prompt", top: 0 } });
  };
  const scroll = (by: number): ControlHandled => {
    const top = Math.max(0, Math.min(open.top + by, lines - page));
    return only({ ...state, inspected: { ...open, top } });
  };
  switch (action) {
    case "back":
      return tab(-1);
    case "forward":
    case "nextTab":
      return tab(1);
    case "up":
      return scroll(-1);
    case "down":
      return scroll(1);
    case "pageUp":
      return scroll(-page);
    case "pageDown":
      return scroll(page);
    case "first":
      return scroll(-lines);
    case "live":
      return scroll(lines);
    case "close":
    case "interrupt":
    case "inspect":
      return only({ ...state, inspected: undefined });
    default:
      return only(state);
  }
}

/** The rows that can be chosen: lanes, or all tasks. */
function choices({ areTasksOpen }: ControlState, { lanes, moment }: ControlFacts): readonly string[] {
  return areTasksOpen ? [...moment.view.tasks.keys()].map((id) => `task ${id}`) : lanes.map(({ id }) => id);
}

function moved(state: ControlState, action: "up" | "down", facts: ControlFacts): string | undefined {
  const ids = choices(state, facts);
  const at = Math.max(0, ids.indexOf(state.selected ?? ""));
  return ids[Math.max(0, Math.min(ids.length - 1, at + (action === "up" ? -1 : 1)))];
}

function inspected(state: ControlState, facts: ControlFacts): ControlState {
  return { ...state, inspected: { tab: "prompt", top: 0, target: targetOf(state, facts) } };
}

/** What the chosen row stands for; without one, the event that is looked at. */
export function targetOf(state: ControlState, facts: Pick<ControlFacts, "lanes" | "moment">): Target {
  const { lanes, moment } = facts;
  const ids = state.areTasksOpen ? [...moment.view.tasks.keys()].map((id) => `task ${id}`) : lanes.map(({ id }) => id);
  const id = ids.includes(state.selected ?? "") ? state.selected : ids[0];
  const lane = lanes.find((each) => each.id === id);
  if (lane !== undefined) return { title: lane.name, turn: lane.turn, task: lane.task, key: lane.key };
  const task = id === undefined ? undefined : moment.view.tasks.get(id.replace(/^task /, ""));
  if (task !== undefined) return { title: `${task.id} ${task.title}`, turn: undefined, task: task.id, key: undefined };
  const last = [...moment.view.turns.values()].at(-1);
  return { title: last?.node ?? moment.view.workflow, turn: last?.turn, task: last?.task, key: last?.key };
}
