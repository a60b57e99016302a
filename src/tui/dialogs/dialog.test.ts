// Answers to a run's questions in a dialog, key by key.

import { expect, test } from "bun:test";
import { answerDialog, type AnswerDialog, dialogKey, type DialogHandled } from "./dialog.ts";

const question = {
  id: "q",
  text: "Where?",
  node: "where",
  key: "where#1",
  options: [{ label: "eu" }, { label: "us" }],
  multiSelect: true,
  freeText: false,
};

const plain = { ctrl: false, meta: false, shift: false };

/** What Enter does after these keys. */
function enterAfter(keys: string): DialogHandled {
  let dialog = answerDialog("run", [question]) as AnswerDialog;
  for (const key of keys)
    dialog = dialogKey(dialog, { ...plain, name: key, sequence: key }, undefined).dialog as AnswerDialog;
  return dialogKey(dialog, { ...plain, name: "return", sequence: "\r" }, "enter");
}

test("a question with boxes is answered with what is ticked", () => {
  expect(enterAfter("12").command).toMatchObject({ type: "answer", answer: { value: ["eu", "us"] } });
  expect(enterAfter("121").command).toMatchObject({ type: "answer", answer: { value: ["us"] } });
});

test("a question with boxes is not answered while none is ticked", () => {
  for (const keys of ["", "11"])
    expect(enterAfter(keys)).toEqual({
      dialog: expect.objectContaining({ note: expect.stringContaining("Tick at least one option") }),
    });
});
