/** @jsxImportSource @opentui/react */
// The evidence for a run's work: requirement → command → exit code → tree → fresh or stale. Looks at the folder when it
// is opened, and again when asked.

import { useKeyboard, useTerminalDimensions } from "@opentui/react";
import { useEffect, useRef, useState } from "react";
import { AtomicError } from "../../lib/errors.ts";
import type { Inks } from "../chat/ink.ts";
import { isScrollKey, KeysOverlay } from "../frame/keys-overlay.tsx";
import type { EvidenceAction, KeyTable } from "../keys/key-table.ts";
import { cut, type Line, piece, spread } from "../rows/line.ts";
import { Lines, LineView } from "../rows/line-view.tsx";
import type { Requirement, RunsPort } from "../runs/runs-port.ts";
import { evidenceLines, evidenceRows, evidenceSummary } from "./evidence-lines.ts";
import { type EvidenceEffect, evidenceKey, type EvidenceState, firstEvidenceState } from "./evidence-state.ts";

export interface EvidenceScreenProps {
  readonly port: RunsPort;
  readonly table: KeyTable<EvidenceAction>;
  readonly inks: Inks;
  readonly run: string | undefined;
  readonly isActive: boolean;
  readonly onEffect: (effect: EvidenceEffect) => void;
}

export function EvidenceScreen({ port, table, inks, run, isActive, onEffect }: EvidenceScreenProps) {
  const { width, height } = useTerminalDimensions();
  const [state, setState] = useState(firstEvidenceState);
  const current = useRef(state);
  const found = useEvidence(port, run, state.looks);
  const rows = evidenceRows(found.requirements);
  const room = Math.max(1, height - 4);

  useKeyboard((key) => {
    if (!isActive || table.frameActionOf(key) !== undefined) return;
    if (current.current.areKeysOpen && isScrollKey(key)) return;
    const handled = evidenceKey(current.current, table.actionOf(key), { count: rows.length, page: room });
    current.current = handled.state;
    setState(handled.state);
    for (const effect of handled.effects) onEffect(effect);
  });

  const inner = width - 2;
  const selected = Math.min(state.selected, Math.max(0, rows.length - 1));
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
      <LineView
        line={spread(
          [piece("evidence", "strong"), piece(run === undefined ? "" : ` ${cut(run.slice(0, 8), 8)}`, "muted")],
          [piece(rows.length === 0 ? "" : evidenceSummary(rows, inner), "muted")],
          inner,
        )}
        inks={inks}
      />
      <LineView line={[]} inks={inks} />
      {rows.length === 0 ? (
        <LineView line={[emptyPiece(run, found)]} inks={inks} />
      ) : (
        <Lines lines={evidenceLines(rows, selected, inner, room)} inks={inks} />
      )}
      <box style={{ flexGrow: 1 }} />
      <LineView line={footLine(state, found.problem, table, inner)} inks={inks} />
      {state.areKeysOpen ? <KeysOverlay rows={table.rows} width={width} height={height} inks={inks} /> : null}
    </box>
  );
}

function emptyPiece(run: string | undefined, { isRead, problem }: Found): Line[number] {
  if (problem !== undefined) return piece(cut(problem, 300), "bad");
  if (run === undefined) return piece("No run yet. Start one in the chat, for example /ralph.", "muted");
  return piece(isRead ? "This run has no tasks and no checks." : "Looking at the folder …", "muted");
}

function footLine(
  state: EvidenceState,
  problem: string | undefined,
  table: KeyTable<EvidenceAction>,
  width: number,
): Line {
  const right = [piece("? keys", "muted")];
  if (state.isLeaving)
    return spread([piece(`${table.label("interrupt")} once more leaves Atomic.`, "accent")], right, width);
  if (problem !== undefined) return spread([piece(cut(problem, 300), "bad")], right, width);
  return spread([piece(`${table.label("lookAgain")} looks again`, "muted")], right, width);
}

interface Found {
  readonly requirements: readonly Requirement[];
  readonly isRead: boolean;
  readonly problem: string | undefined;
}

const nothing: Found = { requirements: [], isRead: false, problem: undefined };

function useEvidence(port: RunsPort, run: string | undefined, looks: number): Found {
  const [found, setFound] = useState(nothing);
  useEffect(() => setFound(nothing), [run]);
  useEffect(() => {
    if (run === undefined) return undefined;
    let isOver = false;
    const show = (next: Found): void => {
      if (!isOver) setFound(next);
    };
    port.evidence(run).then(
      (requirements) => show({ requirements, isRead: true, problem: undefined }),
      (thrown: unknown) => {
        if (!AtomicError.is(thrown)) throw thrown;
        show({ requirements: [], isRead: true, problem: thrown.message });
      },
    );
    return () => {
      isOver = true;
    };
  }, [port, run, looks]);
  return found;
}
