// `atomic answer ID [--question Q] VALUE`

import { AtomicError } from "../../lib/errors.ts";
import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";

export const answerCommand = defineCommand({
  name: "answer",
  summary: summaries.answer,
  details:
    "A run that is running continues at once. One that has stopped finds the answer when it is resumed. `atomic sessions show ID` shows what it asks. An option can be given by its number; several of them are separated by commas.",
  arguments: [
    { name: "ID", description: "the run: its id, a unique prefix of it, or @last; `atomic sessions` lists them" },
    { name: "VALUE", description: "the answer", isOptional: true },
  ],
  options: {
    question: {
      type: "string",
      value: "Q",
      description: "which question, by its name (approve, approve#2) or its text; needed when several are open",
    },
    decline: { type: "boolean", description: "don't answer: the question gets its default" },
  },
  async run({ options, arguments: [id = "", value] }, { io, app }) {
    if ((value === undefined) !== options.decline)
      throw new AtomicError("USAGE", "Give a VALUE, or --decline: atomic answer ID [--question Q] VALUE.");
    const { question, result, page } = await app.runs.answer(id, {
      question: options.question,
      value,
      isDeclined: options.decline,
    });
    const { id: run } = page.view;
    const { safeLine } = await import("../../lib/safe-text.ts");
    const about = `"${safeLine(question.text, 100)}"`;
    if (result === "answered") io.print(`${options.decline ? "Declined" : "Answered"} ${about}.`);
    else if (result === "kept") io.print(`Saved the answer to ${about}.\nResume with: atomic resume ${run}`);
    else io.print(`Saved the answer to ${about}; the run has not picked it up yet.`);
    return 0;
  },
});
