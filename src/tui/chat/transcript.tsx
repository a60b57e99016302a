/** @jsxImportSource @opentui/react */
// The conversation, newest at the bottom. It follows what is written until the user scrolls up; then it stays, and says
// how much is new. Only the newest blocks are mounted; scrolling to the top brings older ones.

import type { ScrollBoxRenderable } from "@opentui/core";
import type { RefObject } from "react";
import type { ChatView } from "../../chat/chat-view.ts";
import { BlockView } from "./block-view.tsx";
import { blockKey } from "./find.ts";
import type { Inks } from "./ink.ts";

export interface TranscriptProps {
  readonly view: ChatView;
  readonly inks: Inks;
  readonly isOutputOpen: boolean;
  /** The piece that was found or chosen. */
  readonly marked?: string | undefined;
  /** It was found: what is folded in it is shown. */
  readonly isFound?: boolean;
  readonly clock: () => number;
  /** How many blocks are mounted. */
  readonly mounted: number;
  readonly scroll: RefObject<ScrollBoxRenderable | null>;
}

export function Transcript({
  view,
  inks,
  isOutputOpen,
  marked,
  isFound = false,
  clock,
  mounted,
  scroll,
}: TranscriptProps) {
  const from = Math.max(0, view.blocks.length - mounted);
  // A box that scrolls takes a while to make; the first frame has nothing to scroll.
  if (view.blocks.length + view.live.length === 0) return <box style={{ flexGrow: 1, flexShrink: 1, minHeight: 1 }} />;
  // One list: a piece that is finished stays mounted.
  const live = new Set(view.live);
  return (
    <scrollbox
      ref={scroll}
      stickyScroll
      stickyStart="bottom"
      scrollX={false}
      style={{ flexGrow: 1, flexShrink: 1, minHeight: 1, paddingLeft: 1, paddingRight: 1 }}
      verticalScrollbarOptions={{ visible: false }}
    >
      {from > 0 ? (
        <text {...inks.muted} style={{ flexShrink: 0 }}>
          {`… ${from} earlier`}
        </text>
      ) : null}
      {[...view.blocks.slice(from), ...view.live].map((block) => {
        const key = blockKey(block);
        const isLive = live.has(block);
        const isMarked = key === marked;
        return (
          <box
            key={key}
            id={key}
            style={{ flexDirection: "column", flexShrink: 0 }}
            {...(isMarked && { backgroundColor: inks.panel, border: ["left"], borderColor: inks.accent.fg })}
          >
            <BlockView
              block={block}
              inks={inks}
              isOpen={isOutputOpen || (isMarked && isFound)}
              isLive={isLive}
              clock={clock}
            />
          </box>
        );
      })}
    </scrollbox>
  );
}

/** Whether the newest is in view. */
export function isAtBottom(box: ScrollBoxRenderable | null): boolean {
  return box === null || box.scrollTop + box.viewport.height >= box.scrollHeight - 1;
}
