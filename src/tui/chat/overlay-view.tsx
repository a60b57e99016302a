/** @jsxImportSource @opentui/react */
// What lies over the conversation: the keys, a text, a list to choose from. One at a time.

import { safeLine, safeText } from "../../lib/safe-text.ts";
import { KeysOverlay } from "../frame/keys-overlay.tsx";
import type { KeyTable } from "../keys/key-table.ts";
import { type CompletionSource, visibleRange } from "../input/completion.ts";
import type { Inks } from "./ink.ts";
import { remaining } from "./remaining.ts";
import { type Choice, type ChoiceList, matchingChoices } from "./choices.ts";
import type { Overlay } from "./screen-state.ts";

export interface OverlayProps {
  readonly overlay: Overlay;
  readonly table: Pick<KeyTable, "rows">;
  readonly paths: CompletionSource["paths"];
  readonly width: number;
  readonly height: number;
  readonly inks: Inks;
}

const listRows = 12;

export function OverlayView({ overlay, table, paths, width, height, inks }: OverlayProps) {
  const rows = Math.max(3, height - 6);
  if (overlay.kind === "keys") return <KeysOverlay rows={table.rows} width={width} height={height} inks={inks} />;
  return (
    <box
      title={titleOf(overlay)}
      border
      borderColor={inks.accent.fg}
      titleColor={inks.accent.fg}
      backgroundColor={inks.panel}
      style={{
        position: "absolute",
        left: 2,
        right: 2,
        top: 1,
        maxHeight: height - 3,
        flexDirection: "column",
        paddingLeft: 1,
        paddingRight: 1,
        zIndex: 10,
      }}
    >
      {contentOf(overlay, { paths, inks }, rows)}
    </box>
  );
}

type Listed = Exclude<Overlay, { readonly kind: "keys" }>;

function titleOf(overlay: Listed): string {
  return ` ${safeLine(overlay.title, overlay.kind === "text" ? 40 : 60)} `;
}

function contentOf(overlay: Listed, { paths, inks }: Pick<OverlayProps, "paths" | "inks">, rows: number) {
  if (overlay.kind === "choice")
    return <Choices overlay={overlay} found={matchingChoices(overlay, paths)} rows={rows} inks={inks} />;
  const lines = safeText(overlay.text).split("\n");
  const shown = lines.slice(overlay.top, overlay.top + rows);
  const left = lines.length - overlay.top - shown.length;
  return <Lines lines={left > 0 ? [...shown.slice(0, -1), `… ${left + 1} lines more (↓)`] : shown} inks={inks} />;
}

function Lines({ lines, inks }: { readonly lines: readonly string[]; readonly inks: Inks }) {
  return (
    <text {...inks.text} wrapMode="none" style={{ height: Math.max(1, lines.length), flexShrink: 0 }}>
      {lines.join("\n")}
    </text>
  );
}

interface ChoicesProps {
  readonly overlay: ChoiceList;
  readonly found: readonly Choice[];
  readonly rows: number;
  readonly inks: Inks;
}

function Choices({ overlay: { query, selected, empty }, found, rows, inks }: ChoicesProps) {
  const [from, to] = visibleRange(found.length, selected, Math.min(listRows, rows - 1));
  return (
    <box style={{ flexDirection: "column" }}>
      <text {...inks.accent} style={{ height: 1 }} wrapMode="none">
        {`❯ ${safeLine(query, 100)}▏`}
      </text>
      {found.length === 0 ? (
        <text {...inks.muted} style={{ height: 1 }}>
          {query === "" ? empty : "nothing matches"}
        </text>
      ) : null}
      {found.slice(from, to).map(({ label, detail }, i) => (
        <box key={`${from + i}`} style={{ flexDirection: "row", height: 1, flexShrink: 0 }}>
          <text
            {...(from + i === selected ? inks.selected : inks.text)}
            style={{ flexShrink: detail === "" ? 1 : 0, maxWidth: "60%", height: 1 }}
            wrapMode="none"
            truncate
          >
            {`  ${safeLine(label, 300)}`}
          </text>
          <text {...inks.muted} style={remaining} wrapMode="none" truncate>
            {detail === "" ? "" : `  ${safeLine(detail, 300)}`}
          </text>
        </box>
      ))}
    </box>
  );
}
