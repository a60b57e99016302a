/** @jsxImportSource @opentui/react */
// What lies over a screen: the only box of the UI.

import type { ReactNode } from "react";
import { safeLine } from "../../lib/safe-text.ts";
import type { Inks } from "../chat/ink.ts";

export interface PanelProps {
  readonly title: string;
  readonly height: number;
  /** As high as the screen, whatever is in it: what is read in it must not make it jump. */
  readonly isFull?: boolean;
  readonly inks: Inks;
  readonly children: ReactNode;
}

export function Panel({ title, height, isFull = false, inks, children }: PanelProps) {
  return (
    <box
      title={` ${safeLine(title, 60)} `}
      border
      borderColor={inks.accent.fg}
      titleColor={inks.accent.fg}
      backgroundColor={inks.panel}
      style={{
        position: "absolute",
        left: 2,
        right: 2,
        top: 1,
        ...(isFull ? { height: height - 2 } : { maxHeight: height - 2 }),
        flexDirection: "column",
        paddingLeft: 1,
        paddingRight: 1,
        zIndex: 10,
      }}
    >
      {children}
    </box>
  );
}
