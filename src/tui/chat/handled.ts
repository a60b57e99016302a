// What a key does, as data: the state after it, and what the program is asked for.

import type { AgentQuestion } from "../../agents/questions.ts";
import type { QueuedLine } from "../../chat/chat-event.ts";
import type { ChatBlock } from "../../chat/chat-view.ts";
import type { CompletionSource } from "../input/completion.ts";
import type { KeyTable, PressedKey } from "../keys/key-table.ts";
import type { PaletteSource } from "./choices.ts";
import type { Effect } from "./effect.ts";
import type { ScreenState } from "./screen-state.ts";

export interface KeyFacts {
  readonly table: Pick<KeyTable, "actionOf">;
  readonly completion: CompletionSource;
  readonly isWorking: boolean;
  readonly queue: readonly QueuedLine[];
  readonly questions: readonly AgentQuestion[];
  readonly history: readonly string[];
  readonly blocks: readonly ChatBlock[];
  readonly palette: () => PaletteSource;
}

export interface Handled {
  readonly state: ScreenState;
  readonly effects: readonly Effect[];
}

export const only = (state: ScreenState, ...effects: readonly Effect[]): Handled => ({ state, effects });

/** Undefined for keys that type nothing. */
export function typedText({ ctrl, meta, sequence, name }: PressedKey): string | undefined {
  if (ctrl || meta) return undefined;
  if (name === "space") return " ";
  return sequence !== "" && !/[\p{Cc}]/u.test(sequence) ? sequence : undefined;
}
