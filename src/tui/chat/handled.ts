// What a key does, as data: the state after it, and what the program is asked for.

import type { AgentQuestion, QuestionReply } from "../../agents/questions.ts";
import type { QueuedLine } from "../../chat/chat-event.ts";
import type { CompletionSource } from "../input/completion.ts";
import type { KeyTable, PressedKey } from "../keys/key-table.ts";
import type { ScreenState } from "./screen-state.ts";

export type Effect =
  | { readonly type: "submit"; readonly line: string }
  | { readonly type: "interrupt" }
  | { readonly type: "exit" }
  | { readonly type: "editor"; readonly text: string }
  | { readonly type: "scroll"; readonly to: "pageUp" | "pageDown" | "follow" }
  | { readonly type: "answer"; readonly question: string; readonly reply: QuestionReply }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "queue"; readonly change: "remove" | "sendNow" | "up" | "down"; readonly id: string };

export interface KeyFacts {
  readonly table: Pick<KeyTable, "actionOf">;
  readonly completion: CompletionSource;
  readonly isWorking: boolean;
  readonly queue: readonly QueuedLine[];
  readonly questions: readonly AgentQuestion[];
  readonly history: readonly string[];
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
