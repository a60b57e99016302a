/** @jsxImportSource @opentui/react */
// Runs of all folders and processes, those that need a user first. Looks again every few seconds while it is shown.

import { useKeyboard, useTerminalDimensions } from "@opentui/react";
import { useEffect, useRef, useState } from "react";
import { AtomicError } from "../../lib/errors.ts";
import type { Inks } from "../chat/ink.ts";
import { isScrollKey, KeysOverlay } from "../frame/keys-overlay.tsx";
import type { KeyTable, RunsAction } from "../keys/key-table.ts";
import { cut, type Line, piece, spread } from "../rows/line.ts";
import { Lines, LineView } from "../rows/line-view.tsx";
import { isWorking, needsPerson } from "./run-order.ts";
import { runsLines } from "./runs-lines.ts";
import type { RunRow, RunsPort } from "./runs-port.ts";
import { firstRunsState, type RunsEffect, runsKey, selectedIndex, shownRuns, type RunsState } from "./runs-state.ts";

export interface RunsScreenProps {
  readonly port: RunsPort;
  readonly table: KeyTable<RunsAction>;
  readonly inks: Inks;
  /** The run that is chosen first. */
  readonly first: string | undefined;
  /** False while keys are for something else. */
  readonly isActive: boolean;
  readonly note: string | undefined;
  /** The user chose another run: other screens show that one too. */
  readonly onSelect: (run: string) => void;
  readonly onEffect: (effect: RunsEffect) => void;
}

const lookAgainMs = 2000;

export function RunsScreen({ port, table, inks, first, isActive, note, onSelect, onEffect }: RunsScreenProps) {
  const { width, height } = useTerminalDimensions();
  const { runs, left, now, isRead, problem } = useRuns(port);
  const [state, setState] = useState({ ...firstRunsState, selected: first });
  const current = useRef(state);
  const rows = Math.max(1, height - 4);
  const shown = shownRuns({ runs, now }, state.query);
  const selected = selectedIndex(shown, state.selected);

  function set(next: RunsState): void {
    current.current = next;
    setState(next);
  }

  useKeyboard((key) => {
    if (!isActive || table.frameActionOf(key) !== undefined) return;
    if (current.current.areKeysOpen && isScrollKey(key)) return;
    const handled = runsKey(current.current, key, table.actionOf(key), { runs, now, page: rows });
    const { selected: chosen } = handled.state;
    if (chosen !== undefined && chosen !== current.current.selected) onSelect(chosen);
    set(handled.state);
    for (const effect of handled.effects) onEffect(effect);
  });

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
      <LineView line={headLine(runs, left, now, width - 2)} inks={inks} />
      <LineView line={[]} inks={inks} />
      {shown.length === 0 ? (
        <LineView line={[piece(emptyText(isRead, state.query), "muted")]} inks={inks} />
      ) : (
        <Lines lines={runsLines({ shown, selected, now, width: width - 2, rows })} inks={inks} />
      )}
      <box style={{ flexGrow: 1 }} />
      <LineView line={footLine(state, problem ?? note, table, width - 2)} inks={inks} />
      {state.areKeysOpen ? <KeysOverlay rows={table.rows} width={width} height={height} inks={inks} /> : null}
    </box>
  );
}

function headLine(runs: readonly RunRow[], left: number, now: number, width: number): Line {
  const waiting = runs.filter((run) => needsPerson(run, now)).length;
  const working = runs.filter(isWorking).length;
  const counts = [`${working} running`, `${runs.length}${left > 0 ? ` of ${runs.length + left}` : ""} in all`];
  return spread(
    [
      piece("runs", "strong"),
      ...(waiting > 0 ? [piece(`   ${waiting} need${waiting === 1 ? "s" : ""} you`, "accent")] : []),
    ],
    [piece(counts.join(" · "), "muted")],
    width,
  );
}

function emptyText(isRead: boolean, query: string): string {
  if (!isRead) return "Looking for runs …";
  return query === "" ? "No runs yet. Start one in the chat, for example /ralph." : "No run matches.";
}

function footLine(state: RunsState, note: string | undefined, table: KeyTable<RunsAction>, width: number): Line {
  if (state.isLeaving) return [piece(`${table.label("interrupt")} once more leaves Atomic.`, "accent")];
  const right = [piece("? keys", "muted")];
  if (state.isFiltering || (state.query !== "" && note === undefined)) {
    const typed = `${cut(state.query, 40)}${state.isFiltering ? "▏" : ""}`;
    return spread([piece("filter ", "muted"), piece(typed, "accent")], right, width);
  }
  if (note !== undefined) return spread([piece(cut(note, 300), "accent")], right, width);
  const hints = (["watch", "answer", "resume", "pause", "cancel", "fork", "filter"] as const).map(
    (action) => `${table.label(action)} ${action}`,
  );
  return spread([piece(hints.join("  "), "muted")], right, width);
}

interface SeenRuns {
  readonly runs: readonly RunRow[];
  readonly left: number;
  readonly now: number;
  readonly isRead: boolean;
  /** Why the list may be old. */
  readonly problem: string | undefined;
}

function useRuns(port: RunsPort): SeenRuns {
  const [seen, setSeen] = useState<SeenRuns>(() => ({
    runs: [],
    left: 0,
    now: port.now(),
    isRead: false,
    problem: undefined,
  }));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    async function look(): Promise<void> {
      try {
        const { runs, left } = await port.list();
        if (!isOver) setSeen({ runs, left, now: port.now(), isRead: true, problem: undefined });
      } catch (thrown) {
        // A store that is busy or gone for a moment: what was seen stays.
        if (!AtomicError.is(thrown)) throw thrown;
        if (!isOver) setSeen((before) => ({ ...before, isRead: true, problem: thrown.message }));
      }
      if (isOver) return;
      timer = setTimeout(() => void look(), lookAgainMs);
    }
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [port]);
  return seen;
}
