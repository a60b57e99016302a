// What a user is asked before something happens to a run: to confirm it, or to answer its questions. Pure: a key gives
// the dialog after it and what is to be done.

import type { Json } from "../../lib/json.ts";
import type { OpenQuestionView } from "../../workflows/sessions/session-view.ts";
import { typedText } from "../chat/handled.ts";
import { nothingTicked } from "../chat/question-key.ts";
import { withoutLast } from "../input/input-state.ts";
import type { PressedKey } from "../keys/bind-keys.ts";
import type { RunAnswer } from "../runs/runs-port.ts";

/** What is asked of the program. */
export type RunCommand =
  | { readonly type: "pause" | "cancel"; readonly run: string }
  | { readonly type: "resume"; readonly run: string; readonly isConcurrent: boolean }
  | { readonly type: "fork"; readonly run: string; readonly seq: number }
  | {
      readonly type: "answer";
      readonly run: string;
      readonly question: OpenQuestionView;
      readonly answer: RunAnswer;
    };

export interface ConfirmDialog {
  readonly kind: "confirm";
  readonly title: string;
  readonly lines: readonly string[];
  /** What Enter does, in words. */
  readonly accept: string;
  readonly command: RunCommand;
}

export interface AnswerDialog {
  readonly kind: "answer";
  readonly run: string;
  readonly questions: readonly OpenQuestionView[];
  readonly at: number;
  readonly selected: number;
  /** Labels, where several may be chosen. */
  readonly chosen: readonly string[];
  readonly typed: string;
  readonly note: string | undefined;
}

/** Something to read that is longer than a line. Any key closes it. */
export interface NoticeDialog {
  readonly kind: "notice";
  readonly text: string;
}

export type Dialog = ConfirmDialog | AnswerDialog | NoticeDialog;

export type DialogAction = "up" | "down" | "enter" | "close" | undefined;

export interface DialogHandled {
  readonly dialog: Dialog | undefined;
  readonly command?: RunCommand | undefined;
}

export function confirmCancel(run: string, workflow: string): ConfirmDialog {
  return {
    kind: "confirm",
    title: "cancel this run",
    lines: [`${workflow} ${run.slice(0, 8)} ends for good: it can't be resumed.`, "What it has done so far stays."],
    accept: "cancel it",
    command: { type: "cancel", run },
  };
}

export function confirmFork(run: string, seq: number, total: number): ConfirmDialog {
  return {
    kind: "confirm",
    title: "fork",
    lines: [
      `A new run starts with everything up to event ${seq} of ${total}, and continues from there.`,
      "This run stays as it is. Files in the folder stay as they are now.",
    ],
    accept: "fork and resume",
    command: { type: "fork", run, seq },
  };
}

/** Another run works in the same folder. */
export function confirmConcurrent(run: string, problem: string): ConfirmDialog {
  return {
    kind: "confirm",
    title: "another run works here",
    lines: [problem],
    accept: "run both",
    command: { type: "resume", run, isConcurrent: true },
  };
}

export function answerDialog(run: string, questions: readonly OpenQuestionView[]): AnswerDialog | undefined {
  if (questions.length === 0) return undefined;
  return { kind: "answer", run, questions, at: 0, ...nothingChosen };
}

const nothingChosen = { selected: 0, chosen: [], typed: "", note: undefined } as const;

/** The rows of a question: its options, a line of the user's own, declining where it has a default. */
export type AnswerRow =
  | { readonly kind: "option"; readonly label: string; readonly description: string }
  | { readonly kind: "typed" }
  | { readonly kind: "decline" };

export function answerRows(question: OpenQuestionView): readonly AnswerRow[] {
  const isOpen = question.options.length === 0 || question.freeText;
  return [
    ...question.options.map(({ label, description = "" }): AnswerRow => ({ kind: "option", label, description })),
    ...(isOpen ? [{ kind: "typed" } as const] : []),
    ...(question.default === undefined ? [] : [{ kind: "decline" } as const]),
  ];
}

export function dialogKey(dialog: Dialog, key: PressedKey, action: DialogAction): DialogHandled {
  if (action === "close" || dialog.kind === "notice") return { dialog: undefined };
  if (dialog.kind === "answer") return answerKey(dialog, key, action);
  const isYes = action === "enter" || key.sequence === "y";
  if (isYes) return { dialog: undefined, command: dialog.command };
  return key.sequence === "n" ? { dialog: undefined } : { dialog };
}

function answerKey(dialog: AnswerDialog, key: PressedKey, action: DialogAction): DialogHandled {
  const question = dialog.questions[dialog.at];
  if (question === undefined) return { dialog: undefined };
  const rows = answerRows(question);
  const row = rows[dialog.selected];
  const set = (change: Partial<AnswerDialog>): DialogHandled => ({ dialog: { ...dialog, note: undefined, ...change } });
  const isTyping = row?.kind === "typed" && typedText(key) !== undefined;
  if (action === "up" && !isTyping) return set({ selected: (dialog.selected + rows.length - 1) % rows.length });
  if (action === "down" && !isTyping) return set({ selected: (dialog.selected + 1) % rows.length });
  if (action === "enter") return answered(dialog, question, row);
  if (key.name === "backspace") return set({ typed: withoutLast(dialog.typed) });
  const text = typedText(key);
  if (text === undefined) return { dialog };
  if (row?.kind === "typed") return set({ typed: dialog.typed + text });
  const number = /^[1-9]$/.test(text) ? Number(text) - 1 : undefined;
  const picked = number === undefined ? undefined : rows[number];
  if (number !== undefined && picked?.kind === "option")
    return question.multiSelect
      ? set({ selected: number, chosen: toggled(dialog.chosen, picked.label) })
      : answered({ ...dialog, selected: number }, question, picked);
  if (text === " " && row?.kind === "option" && question.multiSelect)
    return set({ chosen: toggled(dialog.chosen, row.label) });
  const line = rows.findIndex(({ kind }) => kind === "typed");
  return line === -1 ? { dialog } : set({ selected: line, typed: dialog.typed + text });
}

function toggled(chosen: readonly string[], label: string): readonly string[] {
  return chosen.includes(label) ? chosen.filter((each) => each !== label) : [...chosen, label];
}

function answered(dialog: AnswerDialog, question: OpenQuestionView, row: AnswerRow | undefined): DialogHandled {
  if (row === undefined) return { dialog };
  if (row.kind === "option" && question.multiSelect && dialog.chosen.length === 0)
    return { dialog: { ...dialog, note: nothingTicked } };
  const answer = answerOf(dialog, question, row);
  if (answer === undefined) return { dialog: { ...dialog, note: "Type an answer, or choose one." } };
  const next = dialog.at + 1;
  return {
    dialog: next < dialog.questions.length ? { ...dialog, at: next, ...nothingChosen } : undefined,
    command: { type: "answer", run: dialog.run, question, answer },
  };
}

function answerOf(
  { chosen, typed }: AnswerDialog,
  { multiSelect }: OpenQuestionView,
  row: AnswerRow,
): RunAnswer | undefined {
  if (row.kind === "decline") return { isDeclined: true };
  const own: readonly string[] =
    row.kind === "typed" ? [...chosen, typed.trim()] : chosen.length > 0 ? chosen : [row.label];
  const values: Json[] = own.filter((each) => each !== "");
  const [first] = values;
  if (first === undefined || (row.kind === "typed" && typed.trim() === "")) return undefined;
  return { value: multiSelect ? values : first };
}
