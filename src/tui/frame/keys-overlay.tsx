/** @jsxImportSource @opentui/react */
// The keys of a screen over it, from the table that binds them.

import type { Inks } from "../chat/ink.ts";
import type { KeyRow } from "../keys/bind-keys.ts";
import { fit, type Line, piece } from "../rows/line.ts";
import { Lines } from "../rows/line-view.tsx";
import { Panel } from "./panel.tsx";

export interface KeysOverlayProps {
  readonly rows: readonly KeyRow[];
  readonly width: number;
  readonly height: number;
  readonly inks: Inks;
}

export function KeysOverlay({ rows, width, height, inks }: KeysOverlayProps) {
  return (
    <Panel title="keys" height={height} inks={inks}>
      <Lines lines={keyLines(rows, width - 8, Math.max(3, height - 6))} inks={inks} />
    </Panel>
  );
}

/** In columns where one is too long. */
function keyLines(rows: readonly KeyRow[], width: number, most: number): readonly Line[] {
  const keysWidth = Math.max(...rows.map(({ keys }) => keys.length)) + 2;
  const columns = Math.max(1, Math.ceil(rows.length / most));
  const columnWidth = Math.floor(width / columns);
  const perColumn = Math.ceil(rows.length / columns);
  return Array.from({ length: Math.min(perColumn, most) }, (_, row) =>
    Array.from({ length: columns }, (_, column) => rows[column * perColumn + row]).flatMap((each) =>
      each === undefined
        ? []
        : [
            piece(fit(each.keys, Math.min(keysWidth, columnWidth - 4)), "accent"),
            piece(fit(each.does, Math.max(0, columnWidth - Math.min(keysWidth, columnWidth - 4)))),
          ],
    ),
  );
}
