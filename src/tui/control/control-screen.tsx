/** @jsxImportSource @opentui/react */
// Mission control: a run of any process, live or at any moment of its past. Puts the lines together and passes keys on.

import { useKeyboard, useTerminalDimensions } from "@opentui/react";
import { type ReactNode, useRef, useState } from "react";
import type { Inks } from "../chat/ink.ts";
import { isScrollKey, KeysOverlay } from "../frame/keys-overlay.tsx";
import { Panel } from "../frame/panel.tsx";
import type { ControlAction, KeyTable } from "../keys/key-table.ts";
import { cut, type Line, piece, spread, wrap, wrapLine } from "../rows/line.ts";
import { Lines, LineView } from "../rows/line-view.tsx";
import type { RunsPort } from "../runs/runs-port.ts";
import { bodyLines, headLine, taskLines, waitLine } from "./control-lines.ts";
import { type ControlEffect, controlKey, type ControlState, firstControlState, targetOf } from "./control-state.ts";
import { inspectLines, type InspectTab, inspectTabs } from "./inspect.ts";
import { type Lane, lanesOf } from "./lanes.ts";
import { lookAt, type SeenRun } from "./look-at.ts";
import { emptyMoment } from "./run-facts.ts";
import { timeBarLine } from "./time-bar.ts";
import { useTicking } from "../use-ticking.ts";
import { useReducers } from "./use-reducers.ts";
import { useWatch } from "./use-watch.ts";
import type { WatchedRun } from "./watch-run.ts";

export interface ControlScreenProps {
  readonly port: RunsPort;
  readonly table: KeyTable<ControlAction>;
  readonly inks: Inks;
  /** Undefined: no run yet. */
  readonly run: string | undefined;
  /** The user asked for the tasks. */
  readonly hasTasksFirst: boolean;
  /** False while keys are for something else. */
  readonly isActive: boolean;
  readonly note: string | undefined;
  readonly onEffect: (effect: ControlEffect) => void;
}

/** For one run: for another run, it is mounted again. */
export function ControlScreen(props: ControlScreenProps) {
  const { port, table, inks, run, hasTasksFirst, isActive, note, onEffect } = props;
  const { width, height } = useTerminalDimensions();
  const watched = useWatch(port, run);
  const [state, setState] = useState({ ...firstControlState, areTasksOpen: hasTasksFirst });
  const current = useRef(state);
  const set = (next: ControlState): void => {
    current.current = next;
    setState(next);
  };
  const clock = useTicking(port.now, state.seq === undefined && watched?.status === "running");
  const seen = watched === undefined ? undefined : lookAt(watched, state.seq);
  const now = nowOf(watched, seen, state, clock);
  const lanes = seen === undefined ? [] : lanesOf(seen.moment, seen.activity, now);
  const { inspected } = state;
  const reducers = useReducers(port, run, inspected?.tab === "state" ? seen?.moment : undefined);
  const step =
    seen === undefined || inspected === undefined
      ? []
      : inspectLines(inspected.tab, { ...seen, ...inspected, reducers }).flatMap((line) => wrapLine(line, width - 8));
  const page = Math.max(1, height - 6);

  useKeyboard((key) => {
    if (!isActive || table.frameActionOf(key) !== undefined) return;
    if (current.current.areKeysOpen && isScrollKey(key)) return;
    const moment = seen?.moment ?? emptyMoment("");
    const { state: next, effects } = controlKey(current.current, table.actionOf(key), {
      run: run ?? "",
      // Before that, there is no past to show.
      total: watched?.isRead === true ? watched.events.length : 0,
      marks: watched?.marks ?? [],
      moment,
      lanes,
      live: watched?.isRead === true ? watched.events.view : moment,
      lines: step.length,
      page,
    });
    set(next);
    for (const effect of effects) onEffect(effect);
  });

  const inner = width - 2;
  const foot = footLine(
    { state, note, table, title: targetOf(state, { lanes, moment: seen?.moment ?? emptyMoment("") }).title, seen },
    inner,
  );
  return (
    <box
      style={{
        width,
        height,
        flexDirection: "column",
        backgroundColor: inks.background,
        paddingLeft: 1,
        paddingRight: 1,
      }}
    >
      {watched === undefined || seen === undefined ? (
        <NoRun isLooking={run !== undefined} inks={inks} />
      ) : (
        <Lines lines={screenLines({ watched, seen, state, lanes, now, table }, inner, height - 1)} inks={inks} />
      )}
      <box style={{ flexGrow: 1 }} />
      <LineView line={foot} inks={inks} />
      {inspected === undefined ? null : (
        <Panel title={inspected.target.title} height={height} isFull inks={inks}>
          <Lines lines={[tabsLine(inspected.tab), [], ...stepLines(step, inspected.top, page)]} inks={inks} />
        </Panel>
      )}
      {state.areKeysOpen ? <KeysOverlay rows={table.rows} width={width} height={height} inks={inks} /> : null}
    </box>
  );
}

function NoRun({ isLooking, inks }: { readonly isLooking: boolean; readonly inks: Inks }): ReactNode {
  const text = isLooking ? "Reading the run …" : "No run yet. Start one in the chat, for example /ralph.";
  return <Lines lines={[[piece("mission control", "strong")], [], [piece(text, "muted")]]} inks={inks} />;
}

/** The clock of what is shown: it stops for the past, and for a run that is not running. */
function nowOf(
  watched: WatchedRun | undefined,
  seen: SeenRun | undefined,
  { seq }: ControlState,
  clock: number,
): number {
  const at = seen?.at ?? 0;
  return seq === undefined && watched?.status === "running" ? Math.max(clock, at) : at;
}

interface ScreenFacts {
  readonly watched: WatchedRun;
  readonly seen: SeenRun;
  readonly state: ControlState;
  readonly lanes: readonly Lane[];
  readonly now: number;
  readonly table: KeyTable<ControlAction>;
}

/** Head, what it waits for, lanes or tasks, and the line of time at the bottom. */
function screenLines(
  { watched, seen, state, lanes, now, table }: ScreenFacts,
  width: number,
  height: number,
): readonly Line[] {
  const { moment } = seen;
  const head = { moment, status: watched.status, isLive: state.seq === undefined, now };
  const wait = waitLine(head, { answer: table.label("answer"), resume: table.label("resume") }, width);
  const why: readonly Line[] =
    watched.problem === undefined
      ? wait === undefined
        ? []
        : [wait]
      : wrap(`✗ ${watched.problem}`, width, 4).map((text): Line => [piece(text, "bad")]);
  const top = [headLine(head, width), ...why, []];
  const rows = Math.max(1, height - top.length - 2);
  const body = state.areTasksOpen
    ? taskLines(moment, state.selected, width, rows)
    : bodyLines({ moment, lanes, selected: state.selected, now }, width, rows);
  const bar = {
    marks: watched.marks,
    total: watched.events.length,
    seq: state.seq,
    at: now,
    isOver: watched.status !== "running" && watched.status !== "elsewhere",
    isRead: watched.isRead,
  };
  const space: Line[] = Array.from({ length: Math.max(0, rows - body.length + 1) }, () => []);
  return [...top, ...body, ...space, timeBarLine(bar, width)];
}

function tabsLine(open: InspectTab): Line {
  return inspectTabs.map((tab) => piece(`${tab}  `, tab === open ? "selected" : "muted"));
}

function stepLines(lines: readonly Line[], top: number, page: number): readonly Line[] {
  const shown = lines.slice(top, top + page);
  const left = lines.length - top - shown.length;
  return left > 0 ? [...shown.slice(0, -1), [piece(`… ${left + 1} lines more ↓`, "muted")]] : shown;
}

interface FootFacts {
  readonly state: ControlState;
  readonly note: string | undefined;
  readonly title: string;
  readonly seen: SeenRun | undefined;
  readonly table: KeyTable<ControlAction>;
}

function footLine({ state, note, title, seen, table }: FootFacts, width: number): Line {
  const right = [piece(`${table.label("fork")} fork   ? keys`, "muted")];
  if (state.isLeaving)
    return spread([piece(`${table.label("interrupt")} once more leaves Atomic.`, "accent")], right, width);
  if (note !== undefined) return spread([piece(cut(note, 300), "accent")], right, width);
  if (seen === undefined) return spread([], [piece("? keys", "muted")], width);
  if (state.inspected !== undefined) {
    const [left, right, up, down] = (["back", "forward", "up", "down"] as const).map(table.label);
    const hints = `${left} ${right} other parts   ${up} ${down} scroll   ${table.label("close")} closes`;
    return spread([piece(hints, "muted")], [], width);
  }
  const event = state.seq === undefined ? "" : `   ${eventText(seen)}`;
  return spread(
    [piece(cut(title, 30)), piece(` ▸ ${table.label("inspect")} opens`, "muted"), piece(event)],
    right,
    width,
  );
}

/** `node.finished work#1`. */
function eventText({ event }: SeenRun): string {
  if (event === undefined) return "";
  const about = "key" in event && typeof event.key === "string" ? ` ${event.key}` : "";
  const type = event.type === "unknown" ? event.stored.type : event.type;
  return cut(`${type}${about}`, 60);
}
