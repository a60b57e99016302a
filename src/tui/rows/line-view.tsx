/** @jsxImportSource @opentui/react */
// Lines of plain data, drawn: one row each, in the colours of the theme.

import { memo } from "react";
import type { Inks } from "../chat/ink.ts";
import type { Line } from "./line.ts";

export const LineView = memo(function LineView({ line, inks }: { readonly line: Line; readonly inks: Inks }) {
  return (
    <text {...inks.text} style={{ height: 1, flexShrink: 0 }} wrapMode="none">
      {line.map(({ text, ink }, i) => (
        <span key={i} {...inks[ink]}>
          {text}
        </span>
      ))}
    </text>
  );
}, isSameLine);

interface LineProps {
  readonly line: Line;
  readonly inks: Inks;
}

/** A line that looks the same is not drawn again. */
function isSameLine(a: LineProps, b: LineProps): boolean {
  if (a.inks !== b.inks || a.line.length !== b.line.length) return false;
  return a.line.every(({ text, ink }, i) => text === b.line[i]?.text && ink === b.line[i]?.ink);
}

export function Lines({ lines, inks }: { readonly lines: readonly Line[]; readonly inks: Inks }) {
  return (
    <box style={{ flexDirection: "column", flexShrink: 0 }}>
      {lines.map((line, i) => (
        <LineView key={i} line={line} inks={inks} />
      ))}
    </box>
  );
}
