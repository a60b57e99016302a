// Keys of what lies over the chat: the list of keys, a text, the choice of a model, the search in earlier messages.

import { fuzzyFilter } from "../input/search.ts";
import { editInput, withoutLast } from "../input/input-state.ts";
import type { KeyAction, PressedKey } from "../keys/key-table.ts";
import { type Handled, type KeyFacts, only, typedText } from "./handled.ts";
import type { Overlay, ScreenState } from "./screen-state.ts";

export const listRows = 10;

/** What a list shows for what was typed. */
export function matchingModels({ models, query }: Extract<Overlay, { kind: "models" }>) {
  return fuzzyFilter(query, models, ({ id, name }) => `${id} ${name}`, 200);
}

export function matchingHistory(history: readonly string[], query: string): readonly string[] {
  return fuzzyFilter(query, history, (line) => line, 50);
}

export function overlayKey(
  state: ScreenState,
  overlay: Overlay,
  key: PressedKey,
  action: KeyAction | undefined,
  facts: KeyFacts,
): Handled {
  const closed: ScreenState = { ...state, overlay: undefined };
  if (action === "close" || action === "interrupt") return only(closed);
  switch (overlay.kind) {
    case "keys":
      return only(closed);
    case "text": {
      const by =
        action === "up" ? -1 : action === "down" ? 1 : action === "pageUp" ? -10 : action === "pageDown" ? 10 : 0;
      if (by === 0) return only(closed);
      const last = Math.max(0, overlay.text.split("\n").length - 1);
      return only({ ...state, overlay: { ...overlay, top: Math.max(0, Math.min(last, overlay.top + by)) } });
    }
    case "models": {
      const found = matchingModels(overlay);
      const chosen = found[overlay.selected];
      if (action === "send")
        return chosen === undefined ? only(closed) : only(closed, { type: "model", model: chosen.id });
      return only({ ...state, overlay: { ...overlay, ...moved(overlay, found.length, key, action) } });
    }
    case "history": {
      const found = matchingHistory(facts.history, overlay.query);
      const chosen = found[overlay.selected];
      if (action === "send" || action === "complete")
        return only(
          chosen === undefined ? closed : { ...closed, input: editInput(state.input, { type: "set", text: chosen }) },
        );
      return only({ ...state, overlay: { ...overlay, ...moved(overlay, found.length, key, action) } });
    }
  }
}

function moved(
  { query, selected }: { readonly query: string; readonly selected: number },
  count: number,
  key: PressedKey,
  action: KeyAction | undefined,
): { readonly query: string; readonly selected: number } {
  if (action === "up") return { query, selected: Math.max(0, selected - 1) };
  if (action === "down" || action === "history") return { query, selected: Math.min(count - 1, selected + 1) };
  if (action === "backspace") return { query: withoutLast(query), selected: 0 };
  const text = typedText(key);
  return text === undefined ? { query, selected } : { query: query + text, selected: 0 };
}
