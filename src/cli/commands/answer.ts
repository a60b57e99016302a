// `atomic answer ID [--question Q] VALUE`

import { defineCommand } from "../command.ts";
import { summaries } from "../summaries.ts";

export const answerCommand = defineCommand({
  name: "answer",
  summary: summaries.answer,
  details:
    "A run that is running goes on at once. One that has stopped finds the answer when it is resumed. `atomic sessions show ID` shows what it asks.",
  arguments: [
    { name: "ID", description: "the run; `atomic sessions` lists them" },
    { name: "VALUE", description: "the answer" },
  ],
  options: {
    question: {
      type: "string",
      value: "Q",
      description: "which question, by its id or its text; needed when several are open",
    },
  },
  async run({ options, arguments: [id = "", value = ""] }, { io, app }) {
    const { question, result, page } = await app.runs.answer(id, { question: options.question, value });
    const { id: run } = page.view;
    const { safeLine } = await import("../../lib/safe-text.ts");
    const about = `"${safeLine(question.text, 100)}"`;
    if (result === "answered") io.print(`Answered ${about}.`);
    else if (result === "kept") io.print(`Kept the answer to ${about}.\nResume with: atomic resume ${run}`);
    else io.print(`Left the answer to ${about}; the run has not taken it yet.`);
    return 0;
  },
});
