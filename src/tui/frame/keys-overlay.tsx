/** @jsxImportSource @opentui/react */
// The keys of a screen over it, from the table that binds them.

import { useKeyboard } from "@opentui/react";
import { useState } from "react";
import type { Inks } from "../chat/ink.ts";
import type { KeyRow, PressedKey } from "../keys/bind-keys.ts";
import { columnsOf, fit, type Line, piece, wrap } from "../rows/line.ts";
import { Lines } from "../rows/line-view.tsx";
import { Panel } from "./panel.tsx";

export interface KeysOverlayProps {
  readonly rows: readonly KeyRow[];
  readonly width: number;
  readonly height: number;
  readonly inks: Inks;
}

export function KeysOverlay({ rows, width, height, inks }: KeysOverlayProps) {
  const [top, setTop] = useState(0);
  const room = Math.max(3, height - 5);
  const lines = keyLines(rows, width - 8, room);
  const last = Math.max(0, lines.length - room);
  useKeyboard(({ name }) => {
    const by = steps[name] ?? 0;
    if (by !== 0) setTop((now) => Math.max(0, Math.min(last, now + by * (name.startsWith("page") ? room : 1))));
  });
  const shown = lines.slice(top, top + room);
  return (
    <Panel title={last > 0 ? "keys   ↑ ↓ more" : "keys"} height={height} inks={inks}>
      <Lines lines={shown} inks={inks} />
    </Panel>
  );
}

const steps: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -1, pagedown: 1 };

/** Whether a key moves the list and does not close it. */
export function isScrollKey({ name }: Pick<PressedKey, "name">): boolean {
  return Object.hasOwn(steps, name);
}

const minColumn = 44;
const gap = 2;

/** In columns where one is too long and there is room for more; in one column, a long text continues below. */
function keyLines(rows: readonly KeyRow[], width: number, most: number): readonly Line[] {
  const columns = Math.max(1, Math.min(Math.ceil(rows.length / most), Math.floor(width / minColumn)));
  const columnWidth = Math.floor((width - gap * (columns - 1)) / columns);
  const perColumn = Math.ceil(rows.length / columns);
  const parts = Array.from({ length: columns }, (_, i) =>
    columnLines(rows.slice(i * perColumn, (i + 1) * perColumn), columnWidth),
  );
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    parts.flatMap((part, i): Line => [
      ...(i === 0 ? [] : [piece(" ".repeat(gap))]),
      ...(part[row] ?? [piece(" ".repeat(columnWidth))]),
    ]),
  );
}

function columnLines(rows: readonly KeyRow[], width: number): readonly Line[] {
  const keysWidth = Math.max(0, ...rows.map(({ keys }) => columnsOf(keys))) + gap;
  const room = Math.max(8, width - keysWidth);
  return rows.flatMap(({ keys, does }) =>
    wrap(does, room, 9).map((text, i): Line => [
      piece(fit(i === 0 ? keys : "", keysWidth), "accent"),
      piece(fit(text, room)),
    ]),
  );
}
