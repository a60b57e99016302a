// Keys of what lies over the chat: the list of keys, a text, a list to choose from.

import { editInput, withoutLast } from "../input/input-state.ts";
import type { KeyAction, PressedKey } from "../keys/key-table.ts";
import { matchingChoices } from "./choices.ts";
import { type Handled, type KeyFacts, only, typedText } from "./handled.ts";
import type { Overlay, ScreenState } from "./screen-state.ts";

const scrolling: ReadonlySet<KeyAction> = new Set(["up", "down", "pageUp", "pageDown"]);

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
      // The list scrolls by itself.
      return only(action !== undefined && scrolling.has(action) ? state : closed);
    case "text": {
      const by =
        action === "up" ? -1 : action === "down" ? 1 : action === "pageUp" ? -10 : action === "pageDown" ? 10 : 0;
      if (by === 0) return only(closed);
      const last = Math.max(0, overlay.text.split("\n").length - 1);
      return only({ ...state, overlay: { ...overlay, top: Math.max(0, Math.min(last, overlay.top + by)) } });
    }
    case "choice": {
      const found = matchingChoices(overlay, facts.completion.paths);
      const chosen = found[overlay.selected];
      if (action !== "send" && action !== "complete")
        return only({ ...state, overlay: { ...overlay, ...moved(overlay, found.length, key, action) } });
      if (chosen === undefined) return only(overlay.staysOpen ? state : closed);
      const { effect } = chosen;
      if (effect.type === "insert") {
        const input = editInput(state.input, { type: effect.at === "all" ? "set" : "insert", text: effect.text });
        return only({ ...closed, input });
      }
      return only(overlay.staysOpen ? state : closed, effect);
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
  if (action === "down" || action === "history")
    return { query, selected: Math.max(0, Math.min(count - 1, selected + 1)) };
  if (action === "backspace") return { query: withoutLast(query), selected: 0 };
  const text = typedText(key);
  return text === undefined ? { query, selected } : { query: query + text, selected: 0 };
}
