// Keys while a text is looked for, and while a message is marked to be copied.

import { withoutLast } from "../input/input-state.ts";
import type { KeyAction, PressedKey } from "../keys/key-table.ts";
import { blockKey, blockWords, type Find, findMatches, nextMessage, placeIn } from "./find.ts";
import { type Handled, type KeyFacts, only, typedText } from "./handled.ts";
import type { ScreenState } from "./screen-state.ts";

export function findKey(
  state: ScreenState,
  find: Find,
  key: PressedKey,
  action: KeyAction | undefined,
  { blocks }: KeyFacts,
): Handled {
  const matches = findMatches(blocks, find.query);
  const go = (query: string, at: number): Handled => {
    const found = query === find.query ? matches : findMatches(blocks, query);
    const block = found[Math.max(0, Math.min(found.length - 1, at))];
    const next: ScreenState = {
      ...state,
      find: { query, at: Math.max(0, Math.min(found.length - 1, at)) },
      marked: block,
    };
    if (block === undefined) return only(next);
    const part = placeIn(
      blocks.find((each) => blockKey(each) === block),
      query,
    );
    return only(next, { type: "reveal", block, part });
  };
  switch (action) {
    case "close":
    case "interrupt":
      return only({ ...state, find: undefined, marked: undefined });
    case "send":
    case "up":
    case "find":
      return go(find.query, matches.length === 0 ? 0 : (find.at + 1) % matches.length);
    case "down":
      return go(find.query, find.at - 1);
    case "backspace":
      return go(withoutLast(find.query), 0);
    default: {
      const text = typedText(key);
      return text === undefined ? only(state) : go(find.query + text, 0);
    }
  }
}

/** Undefined: the key is for the input, and the mark goes. */
export function markKey(
  state: ScreenState,
  key: PressedKey,
  action: KeyAction | undefined,
  { blocks }: KeyFacts,
): Handled | undefined {
  if (action === "close") return only({ ...state, marked: undefined });
  if (action === "select" || action === "up" || action === "down") {
    const marked = nextMessage(blocks, state.marked, action === "down" ? 1 : -1);
    return marked === undefined
      ? only({ ...state, marked }, { type: "scroll", to: "follow" })
      : only({ ...state, marked }, { type: "reveal", block: marked, part: 0 });
  }
  const block = blocks.find((each) => blockKey(each) === state.marked);
  if (key.sequence === "y" && block !== undefined)
    return only({ ...state, marked: undefined }, { type: "copy", text: blockWords(block) });
  return undefined;
}
