// What the chat screen shows besides the conversation itself: the input, what is open, what is chosen. Plain data; keys
// change it in handle-key.ts, and components draw it.

import type { AgentQuestion } from "../../agents/questions.ts";
import { type Completion, noCompletion } from "../input/completion.ts";
import type { ChoiceList } from "./choices.ts";
import type { Find } from "./find.ts";
import { editInput, emptyInput, type InputState } from "../input/input-state.ts";

export type Overlay =
  | { readonly kind: "keys" }
  | { readonly kind: "text"; readonly title: string; readonly text: string; readonly top: number }
  | ChoiceList;

export interface QuestionState {
  readonly id: string;
  /** It takes no keys before this. */
  readonly isFocused: boolean;
  /** The user has put it off: it waits for Tab. */
  readonly isLater: boolean;
  /** Which of its items is asked. */
  readonly item: number;
  readonly selected: number;
  /** Labels, where several may be chosen. */
  readonly chosen: readonly string[];
  /** Of the items before. */
  readonly answers: readonly (readonly string[])[];
  /** A free-text answer. */
  readonly typed: string;
}

export interface ScreenState {
  readonly input: InputState;
  readonly completion: Completion;
  readonly overlay: Overlay | undefined;
  readonly question: QuestionState | undefined;
  /** The queued message that is chosen. */
  readonly queueAt: number | undefined;
  /** A text is looked for. */
  readonly find: Find | undefined;
  /** The piece of the conversation that was found, or that can be copied. */
  readonly marked: string | undefined;
  /** Full output and thinking are shown. */
  readonly isOutputOpen: boolean;
  /** The next Ctrl+C leaves. */
  readonly isLeaving: boolean;
  /** One line about the last command. */
  readonly note: string | undefined;
}

/** More than this would leave no room for anything else on a small screen; as a paste it folds. */
function isLong(draft: string): boolean {
  return draft.length >= 1000 || draft.split("\n", 9).length > 8;
}

export function firstScreenState(draft: string): ScreenState {
  return {
    input: editInput(emptyInput, { type: isLong(draft) ? "paste" : "set", text: draft }),
    completion: noCompletion,
    overlay: undefined,
    question: undefined,
    queueAt: undefined,
    find: undefined,
    marked: undefined,
    isOutputOpen: false,
    isLeaving: false,
    note: undefined,
  };
}

export function openQuestion({ id }: AgentQuestion): QuestionState {
  return { id, isFocused: false, isLater: false, item: 0, selected: 0, chosen: [], answers: [], typed: "" };
}

/** The rows of an item: its options, a line of the user's own, and declining. */
export type QuestionRow =
  | { readonly kind: "option"; readonly label: string; readonly description: string }
  | { readonly kind: "typed" }
  | { readonly kind: "decline" };

export function questionRows(question: AgentQuestion, item: number): readonly QuestionRow[] {
  const asked = question.items[item];
  if (asked === undefined) return [];
  return [
    ...asked.options.map(({ label, description = "" }): QuestionRow => ({ kind: "option", label, description })),
    ...(asked.isFreeText ? [{ kind: "typed" } as const] : []),
    { kind: "decline" },
  ];
}
