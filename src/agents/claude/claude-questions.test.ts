import { expect, test } from "bun:test";
import { declinedText } from "../questions.ts";
import { answeredInput, questionItems } from "./claude-questions.ts";

const input = {
  questions: [
    {
      question: "Which colours?",
      header: "Colour",
      multiSelect: true,
      options: [{ label: "Red", description: "warm" }, { label: "Blue" }],
    },
    { question: "Which size?", options: [] },
  ],
};

test("questionItems reads the questions of the tool, all of which take free text", () => {
  expect(questionItems(input)).toEqual([
    {
      text: "Which colours?",
      header: "Colour",
      options: [{ label: "Red", description: "warm" }, { label: "Blue" }],
      isMultiple: true,
      isFreeText: true,
    },
    { text: "Which size?", options: [], isMultiple: false, isFreeText: true },
  ]);
});

test("questionItems refuses an input without questions", () => {
  expect(questionItems({})).toBeUndefined();
  expect(questionItems({ questions: [] })).toBeUndefined();
  expect(questionItems({ questions: [{ text: "?" }] })).toBeUndefined();
});

test("answeredInput gives the answers by the text of their question", () => {
  const items = questionItems(input) ?? [];
  const answers = [["Red", "Blue"], ["as large as a house"]];

  expect(answeredInput(input, items, { type: "answered", answers })).toEqual({
    ...input,
    answers: { "Which colours?": "Red, Blue", "Which size?": "as large as a house" },
  });
});

test("declinedText explains to the model why there is no answer", () => {
  expect(declinedText({ type: "declined", reason: "declined" })).toContain("declined to answer");
  expect(declinedText({ type: "declined", reason: "timeout" })).toContain("in time");
  expect(declinedText({ type: "declined", reason: "failed", message: "no such option" })).toContain("no such option");
});
