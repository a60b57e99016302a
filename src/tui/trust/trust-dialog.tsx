/** @jsxImportSource @opentui/react */
// The trust dialog: before a file runs, all of it, or what changed in it, can be read here.

import { safeLine } from "../../lib/safe-text.ts";
import type { Inks } from "../chat/ink.ts";
import { Panel } from "../frame/panel.tsx";
import { cut, type Line, piece } from "../rows/line.ts";
import { Lines } from "../rows/line-view.tsx";
import type { TrustRequest } from "./trust-port.ts";
import { trustChoices, trustLines, type TrustState } from "./trust-state.ts";

export interface TrustDialogProps {
  readonly subject: TrustRequest;
  readonly state: TrustState;
  readonly width: number;
  readonly height: number;
  readonly inks: Inks;
}

/** Lines of text in view. */
export function trustPage(height: number): number {
  return Math.max(1, height - 11);
}

/** Columns of text. */
export function trustRoom(width: number): number {
  return width - 8;
}

export function TrustDialog({ subject, state, width, height, inks }: TrustDialogProps) {
  const room = trustRoom(width);
  const all = trustLines(subject, state.isWhole, room);
  const page = trustPage(height);
  const shown = all.slice(state.top, state.top + page);
  const left = all.length - state.top - shown.length;
  const why = subject.reason === "new" ? "was never trusted" : "has changed since it was trusted";
  const head: readonly Line[] = [
    [piece(cut(`The ${subject.name} ${why}, so it does not run yet.`, room), "strong")],
    [piece(cut(safeLine(subject.path, 400), room), "muted")],
    [],
  ];
  const position =
    all.length > page ? `lines ${state.top + 1}–${state.top + shown.length} of ${all.length}, PgDn more` : "";
  const hasChanges = subject.files.some(({ difference, change }) => difference !== undefined || change === "same");
  const toggle = hasChanges ? `Tab ${state.isWhole ? "only what changed" : "all of it"}` : "";
  const space: readonly Line[] = Array.from({ length: Math.max(0, page - shown.length) }, () => []);
  return (
    <Panel title="trust" height={height} isFull inks={inks}>
      <Lines
        lines={[
          ...head,
          ...shown,
          ...space,
          [piece([position, toggle].filter(Boolean).join("   "), left > 0 ? "accent" : "muted")],
          ...trustChoices.map(({ text }, i): Line => [
            piece(i === state.selected ? "❯ " : "  ", "accent"),
            piece(text, i === state.selected ? "selected" : "text"),
          ]),
        ]}
        inks={inks}
      />
    </Panel>
  );
}
