// Answers given beforehand (`--answer`) for questions that never came: mostly a misspelt name, which would go unnoticed.

import type { RunEvent } from "../../events/run-event.ts";
import { safeLine } from "../../lib/safe-text.ts";
import { typedNameAmong, typedNames } from "../../workflows/graph/model/answer-value.ts";
import type { OpenQuestionView, SessionView } from "../../workflows/sessions/session-view.ts";

type AskedQuestion = Pick<OpenQuestionView, "id" | "name" | "key" | "text">;

export interface UnusedAnswers {
  event(event: RunEvent): void;
  /** Undefined when each was for a question that was asked. */
  text(): string | undefined;
}

const maxNamed = 5;

/** `written`: as they were typed, secrets masked. `known`: the run so far, when it is resumed. */
export function watchUnusedAnswers(written: readonly string[], known: SessionView | undefined): UnusedAnswers {
  const asked = new Map<string, AskedQuestion>(known?.questions);
  return {
    event(event) {
      if (event.type !== "question.asked") return;
      const { key, name, question } = event;
      asked.set(question.id, { id: question.id, text: question.text, key, name });
    },
    text() {
      const questions = [...asked.values()];
      const names = questions.flatMap((question) => [question.id, ...typedNames(question), question.text]);
      const unused = written.filter((answer) => !names.some((name) => isFor(answer, name)));
      if (unused.length === 0) return undefined;
      const which = unused.map((answer) => `--answer "${safeLine(answer.slice(0, answer.indexOf("=")), 60)}=…"`);
      const verb = unused.length === 1 ? "was" : "were";
      return `! ${which.join(" and ")} ${verb} not used: ${askedText(questions)}`;
    },
  };
}

/** Both sides may hold a "=". */
function isFor(answer: string, name: string): boolean {
  for (let at = answer.indexOf("="); at > 0; at = answer.indexOf("=", at + 1))
    if (answer.slice(0, at).trim() === name) return true;
  return false;
}

function askedText(questions: readonly AskedQuestion[]): string {
  if (questions.length === 0) return "the run asked no questions.";
  const shown = questions
    .slice(0, maxNamed)
    .map((question) => `${safeLine(typedNameAmong(question, questions), 60)} ("${safeLine(question.text, 80)}")`);
  const hidden = questions.length - shown.length;
  return `the run asked ${[...shown, ...(hidden === 0 ? [] : [`${hidden} more`])].join(", ")}.`;
}
