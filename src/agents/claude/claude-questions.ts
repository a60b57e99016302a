// The program's way of asking the user (the tool AskUserQuestion) and the port's, converted both ways.

import { isRecord } from "../../lib/is-record.ts";
import type { QuestionItem, QuestionReply } from "../questions.ts";

export const questionTool = "AskUserQuestion";

/** Undefined when the input is not what the tool takes. */
export function questionItems(input: Readonly<Record<string, unknown>>): readonly QuestionItem[] | undefined {
  const questions: unknown = input["questions"];
  if (!Array.isArray(questions) || questions.length === 0) return undefined;
  const items = questions.map(questionItem);
  return items.every((item) => item !== undefined) ? items : undefined;
}

function questionItem(value: unknown): QuestionItem | undefined {
  if (!isRecord(value) || typeof value["question"] !== "string") return undefined;
  const options = Array.isArray(value["options"]) ? value["options"].filter(isRecord) : [];
  return {
    text: value["question"],
    ...(typeof value["header"] === "string" && { header: value["header"] }),
    options: options
      .filter((option) => typeof option["label"] === "string")
      .map((option) => ({
        label: String(option["label"]),
        ...(typeof option["description"] === "string" && { description: option["description"] }),
      })),
    isMultiple: value["multiSelect"] === true,
    isFreeText: true,
  };
}

/** What the tool is given back: its own input, with an answer per question text. */
export function answeredInput(
  input: Readonly<Record<string, unknown>>,
  items: readonly QuestionItem[],
  reply: Extract<QuestionReply, { type: "answered" }>,
): Record<string, unknown> {
  const answers = items.map(({ text }, index) => [text, (reply.answers[index] ?? []).join(", ")] as const);
  return { ...input, answers: Object.fromEntries(answers) };
}
