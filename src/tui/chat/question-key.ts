// Keys of a question that has the focus: choose by arrows, numbers and space, type an answer, decline, or leave it for
// later. The draft in the input is not touched.

import type { AgentQuestion } from "../../agents/questions.ts";
import { withoutLast } from "../input/input-state.ts";
import type { KeyAction, PressedKey } from "../keys/key-table.ts";
import { type Handled, only, typedText } from "./handled.ts";
import { type QuestionState, questionRows, type ScreenState } from "./screen-state.ts";

/** Of a question with boxes: the answer is what is ticked, never the row that is highlighted. */
export const nothingTicked = "Tick at least one option with Space or its number.";

export function questionKey(
  state: ScreenState,
  now: QuestionState,
  question: AgentQuestion,
  key: PressedKey,
  action: KeyAction | undefined,
): Handled {
  const rows = questionRows(question, now.item);
  const row = rows[now.selected];
  const set = (change: Partial<QuestionState>): Handled => only({ ...state, question: { ...now, ...change } });
  switch (action) {
    case "close":
      return set({ isFocused: false, isLater: true });
    case "complete":
      // Moves the focus to the question. It may have taken the focus by itself just before: the key must not return it.
      return only(state);
    case "up":
      return set({ selected: (now.selected + rows.length - 1) % rows.length });
    case "down":
      return set({ selected: (now.selected + 1) % rows.length });
    case "backspace":
      return set({ typed: withoutLast(now.typed) });
    case "send":
      return answer(state, now, question);
    default:
  }
  const text = typedText(key);
  if (text === undefined) return only(state);
  if (row?.kind === "typed") return set({ typed: now.typed + text });
  const number = /^[1-9]$/.test(text) ? Number(text) - 1 : undefined;
  if (number !== undefined && rows[number]?.kind === "option") {
    const chosen = { ...now, selected: number };
    return question.items[now.item]?.isMultiple === true
      ? only({ ...state, question: toggled(chosen, question) })
      : answer(state, chosen, question);
  }
  if (text === " " && row?.kind === "option") return only({ ...state, question: toggled(now, question) });
  // Typing goes to the line for it, where there is one.
  const line = rows.findIndex(({ kind }) => kind === "typed");
  return line === -1 ? only(state) : set({ selected: line, typed: now.typed + text });
}

function toggled(now: QuestionState, question: AgentQuestion): QuestionState {
  const row = questionRows(question, now.item)[now.selected];
  if (row?.kind !== "option" || question.items[now.item]?.isMultiple !== true) return now;
  const has = now.chosen.includes(row.label);
  return { ...now, chosen: has ? now.chosen.filter((each) => each !== row.label) : [...now.chosen, row.label] };
}

function answer(state: ScreenState, now: QuestionState, question: AgentQuestion): Handled {
  const row = questionRows(question, now.item)[now.selected];
  if (row === undefined) return only(state);
  if (row.kind === "decline") {
    const reply = { type: "declined", reason: "declined" } as const;
    return only({ ...state, question: undefined }, { type: "answer", question: question.id, reply });
  }
  if (row.kind === "option" && question.items[now.item]?.isMultiple === true && now.chosen.length === 0)
    return only({ ...state, note: nothingTicked });
  const own = row.kind === "typed" ? [now.typed.trim()] : now.chosen.length > 0 ? now.chosen : [row.label];
  if (own[0] === "") return only({ ...state, note: "Type an answer, or choose one." });
  const answers = [...now.answers, own];
  if (answers.length < question.items.length)
    return only({ ...state, question: { ...now, item: now.item + 1, selected: 0, chosen: [], typed: "", answers } });
  const reply = { type: "answered", answers } as const;
  return only({ ...state, question: undefined }, { type: "answer", question: question.id, reply });
}
