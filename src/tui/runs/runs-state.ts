// What the list of runs shows besides the runs themselves, and what keys do to it. Pure.

import { withoutLast } from "../input/input-state.ts";
import { typedText } from "../chat/handled.ts";
import type { PressedKey, RunsAction } from "../keys/key-table.ts";
import { answerDialog, confirmCancel, type Dialog, type RunCommand } from "../dialogs/dialog.ts";
import { filterRuns, orderRuns } from "./run-order.ts";
import type { RunRow } from "./runs-port.ts";

export interface RunsState {
  /** The chosen run, by id: rows move. */
  readonly selected: string | undefined;
  readonly query: string;
  /** What is typed goes to the filter. */
  readonly isFiltering: boolean;
  readonly areKeysOpen: boolean;
  readonly isLeaving: boolean;
}

export const firstRunsState: RunsState = {
  selected: undefined,
  query: "",
  isFiltering: false,
  areKeysOpen: false,
  isLeaving: false,
};

export type RunsEffect =
  | { readonly type: "leave" }
  | { readonly type: "back" }
  | { readonly type: "watch"; readonly run: string }
  /** Undefined: there is nothing to ask about. */
  | { readonly type: "ask"; readonly dialog: Dialog | undefined }
  | RunCommand;

export interface RunsHandled {
  readonly state: RunsState;
  readonly effects: readonly RunsEffect[];
}

export interface RunsFacts {
  readonly runs: readonly RunRow[];
  readonly now: number;
  /** Rows in view. */
  readonly page: number;
}

export function shownRuns({ runs, now }: Pick<RunsFacts, "runs" | "now">, query: string): readonly RunRow[] {
  return filterRuns(orderRuns(runs, now), query);
}

export function selectedIndex(shown: readonly RunRow[], selected: string | undefined): number {
  return Math.max(
    0,
    shown.findIndex(({ id }) => id === selected),
  );
}

const only = (state: RunsState, ...effects: readonly RunsEffect[]): RunsHandled => ({ state, effects });

export function runsKey(
  before: RunsState,
  key: PressedKey,
  action: RunsAction | undefined,
  facts: RunsFacts,
): RunsHandled {
  const state = { ...before, isLeaving: false };
  if (state.areKeysOpen) return only({ ...state, areKeysOpen: false });
  if (state.isFiltering && (action === undefined || action === "watch" || isLetter(key)))
    return only(filtered(state, key));
  switch (action) {
    case "up":
    case "down":
    case "pageUp":
    case "pageDown":
      return only(moved(state, action, facts));
    case "filter":
      return only({ ...state, isFiltering: true });
    case "keys":
      return only({ ...state, areKeysOpen: true });
    case "close":
      if (state.isFiltering || state.query !== "") return only({ ...state, isFiltering: false, query: "" });
      return only(state, { type: "back" });
    case "interrupt":
      if (before.isLeaving) return only(state, { type: "leave" });
      return only({ ...state, isFiltering: false, query: "", isLeaving: true });
    case undefined:
      return only(state);
    default: {
      const shown = shownRuns(facts, state.query);
      const run = shown[selectedIndex(shown, state.selected)];
      return run === undefined ? only(state) : only({ ...state, selected: run.id }, effectOn(run, action));
    }
  }
}

function effectOn(run: RunRow, action: "watch" | "answer" | "pause" | "resume" | "cancel" | "fork"): RunsEffect {
  switch (action) {
    case "watch":
      return { type: "watch", run: run.id };
    case "answer":
      return { type: "ask", dialog: answerDialog(run.id, run.questions) };
    case "pause":
      return { type: "pause", run: run.id };
    case "resume":
      return { type: "resume", run: run.id, isConcurrent: false };
    case "cancel":
      return { type: "ask", dialog: confirmCancel(run.id, run.workflow) };
    case "fork":
      // Where to fork is chosen there.
      return { type: "watch", run: run.id };
  }
}

/** It types itself, so it is not for moving while a filter is typed. */
function isLetter(key: PressedKey): boolean {
  return typedText(key) !== undefined;
}

function filtered(state: RunsState, key: PressedKey): RunsState {
  if (key.name === "backspace") return { ...state, query: withoutLast(state.query) };
  if (key.name === "return") return { ...state, isFiltering: false };
  const text = typedText(key);
  return text === undefined ? state : { ...state, query: state.query + text };
}

function moved(state: RunsState, action: "up" | "down" | "pageUp" | "pageDown", facts: RunsFacts): RunsState {
  const shown = shownRuns(facts, state.query);
  const by = { up: -1, down: 1, pageUp: -facts.page, pageDown: facts.page }[action];
  const at = Math.max(0, Math.min(shown.length - 1, selectedIndex(shown, state.selected) + by));
  return { ...state, selected: shown[at]?.id ?? state.selected };
}
