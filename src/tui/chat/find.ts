// Finding a text in the conversation, and choosing a message to copy: which pieces there are, and what they say. Pure.

import type { ChatBlock } from "../../chat/chat-view.ts";

export interface Find {
  readonly query: string;
  /** Which of the matches is shown; 0 is the newest. */
  readonly at: number;
}

/** A piece by the name under which it is drawn. */
export function blockKey({ id, kind }: ChatBlock): string {
  return id + kind;
}

/** All that a piece says, folded or not. */
export function blockWords(block: ChatBlock): string {
  switch (block.kind) {
    case "person":
    case "said":
    case "thought":
    case "notice":
    case "ended":
      return block.text;
    case "tool":
      return `${block.name} ${block.title}\n${block.output}`;
    case "subagent":
      return `${block.name} ${block.task}\n${block.text}`;
    case "asked":
      return `${block.question}\n${block.answer ?? ""}`;
    case "compacted":
      return block.summary;
  }
}

/** The newest first. */
export function findMatches(blocks: readonly ChatBlock[], query: string): readonly string[] {
  const wanted = query.trim().toLowerCase();
  if (wanted === "") return [];
  return blocks
    .filter((block) => blockWords(block).toLowerCase().includes(wanted))
    .map(blockKey)
    .toReversed();
}

/** How far down in a piece the text is, from 0 to 1. */
export function placeIn(block: ChatBlock | undefined, query: string): number {
  if (block === undefined) return 0;
  const words = blockWords(block);
  const lines = words.split("\n").length;
  const before = words
    .slice(0, Math.max(0, words.toLowerCase().indexOf(query.trim().toLowerCase())))
    .split("\n").length;
  return (before - 1) / lines;
}

/** The next message before (-1) or after (1) the marked one; without a mark, the newest. Undefined past the newest. */
export function nextMessage(blocks: readonly ChatBlock[], marked: string | undefined, by: -1 | 1): string | undefined {
  const keys = blocks.filter(({ kind }) => kind === "person" || kind === "said").map(blockKey);
  const at = marked === undefined ? -1 : keys.indexOf(marked);
  if (at === -1) return keys.at(-1);
  return keys[Math.max(0, at + by)];
}
