// Questions of a run, asked at a terminal. One at a time, in the order they arrive; an answer from
// elsewhere (`atomic answer`) takes a question away again, with what was typed so far. An empty line
// leaves it open; an answer that does not fit is asked for again.

import type { Json } from "../../lib/json.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { fitAnswer, optionLabels } from "../../workflows/graph/model/answer-value.ts";
import type { OpenQuestion } from "../../workflows/graph/model/question.ts";
import type { PrintLine } from "../print/run-printer.ts";
import type { TerminalInput } from "./terminal-input.ts";

export interface TerminalQuestions {
  ask(question: OpenQuestion): Promise<Json | undefined>;
  /** It was answered elsewhere. */
  settled(questionId: string): void;
  close(): void;
}

interface Waiting {
  readonly question: OpenQuestion;
  readonly resolve: (answer: Json | undefined) => void;
}

export function createTerminalQuestions(
  input: Pick<TerminalInput, "onLine" | "discard" | "close">,
  print: PrintLine,
): TerminalQuestions {
  const waiting: Waiting[] = [];
  let isListening = false;

  function showNext(): void {
    const next = waiting[0];
    if (next !== undefined) print(`Your answer to "${safeLine(next.question.text, 100)}"${choices(next.question)}:`);
  }

  /** What is half typed answers nothing any more. The line that shows it ends here. */
  function discard(): void {
    if (input.discard()) print("");
  }

  function onLine(line: string): void {
    const [current] = waiting;
    if (current === undefined) return;
    const fitted = line.trim() === "" ? { value: undefined } : fitAnswer(current.question, line.trim());
    if ("problem" in fitted) print(safeLine(fitted.problem, 400));
    else {
      waiting.shift();
      current.resolve(fitted.value);
    }
    showNext();
  }

  return {
    ask(question) {
      if (!isListening) input.onLine(onLine);
      isListening = true;
      return new Promise((resolve) => {
        waiting.push({ question, resolve });
        if (waiting.length === 1) showNext();
      });
    },
    settled(questionId) {
      const at = waiting.findIndex(({ question }) => question.id === questionId);
      if (at === -1) return;
      if (at === 0) discard();
      for (const { resolve } of waiting.splice(at, 1)) resolve(undefined);
      if (at === 0) showNext();
    },
    close() {
      if (waiting.length > 0) discard();
      waiting.length = 0;
      input.close();
    },
  };
}

function choices(question: OpenQuestion): string {
  const numbered = optionLabels(question).map((label, i) => `${i + 1} ${safeLine(label)}`);
  return numbered.length === 0 ? "" : ` (${numbered.join(", ")})`;
}
