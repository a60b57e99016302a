// What a key asks the program to do, as data.

import type { QuestionReply } from "../../agents/questions.ts";
import type { FrameAction, KeyAction } from "../keys/key-table.ts";

export type Effect =
  | { readonly type: "submit"; readonly line: string }
  | { readonly type: "interrupt" }
  | { readonly type: "exit" }
  | { readonly type: "editor"; readonly text: string }
  | { readonly type: "scroll"; readonly to: "pageUp" | "pageDown" | "follow" }
  /** Brings a piece of the conversation into view; `part`: how far down in it, from 0 to 1. */
  | { readonly type: "reveal"; readonly block: string; readonly part: number }
  /** Into the terminal's clipboard. */
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "answer"; readonly question: string; readonly reply: QuestionReply }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "server"; readonly name: string; readonly isOn: boolean }
  /** As if its key were pressed. */
  | { readonly type: "action"; readonly action: KeyAction }
  | { readonly type: "screen"; readonly action: FrameAction }
  | { readonly type: "queue"; readonly change: "remove" | "sendNow" | "up" | "down"; readonly id: string };
