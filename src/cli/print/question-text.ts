// An open question as a user reads it: what is asked, what can be answered, and the command that answers it.

import { safeLine, safeText } from "../../lib/safe-text.ts";
import { typedNameAmong } from "../../workflows/graph/model/answer-value.ts";
import type { OpenQuestionView, SessionView } from "../../workflows/sessions/session-view.ts";

export function questionText(question: OpenQuestionView, view: Pick<SessionView, "id" | "questions">): string {
  const { header, text } = question;
  const title = header === undefined ? "" : `${safeLine(header, 60)}: `;
  return [`${title}${safeText(text)}`, ...optionLines(question), ...answerLines(question, view)].join("\n");
}

/** `1 red: warm` */
function optionLines({ options, multiSelect, freeText }: OpenQuestionView): readonly string[] {
  if (options.length === 0) return [];
  const lines = options.map(({ label, description }, i) => {
    const more = description === undefined || description === "" ? "" : `: ${safeLine(description, 200)}`;
    return `    ${i + 1} ${safeLine(label)}${more}`;
  });
  const several = multiSelect ? ["several can be chosen, separated by commas"] : [];
  const other = freeText ? ["another text is possible"] : [];
  const notes = [...several, ...other];
  return notes.length === 0 ? lines : [...lines, `    (${notes.join("; ")})`];
}

function answerLines(question: OpenQuestionView, { id, questions }: Pick<SessionView, "id" | "questions">): string[] {
  const command = commandToAnswer(id, question, questions.values());
  const { default: declined } = question;
  const shown = typeof declined === "string" ? `  (it gets "${safeLine(declined, 100)}")` : "";
  return [
    `  answer with: ${command} VALUE`,
    ...(declined === undefined ? [] : [`  decline with: ${command} --decline${shown}`]),
  ];
}

type NamedQuestion = Parameters<typeof typedNameAmong>[0];

/** Lacks the value. `open`: all questions that are open, so that the name is enough to tell them apart. */
export function commandToAnswer(run: string, question: NamedQuestion, open: Iterable<NamedQuestion>): string {
  return `atomic answer ${run} --question ${shellWord(safeLine(typedNameAmong(question, open)))}`;
}

/** As a shell reads it. */
export function shellWord(name: string): string {
  return /^[\w.:-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/** For programs: with the name that a user can type. */
export function questionFacts(
  questions: SessionView["questions"],
  all: SessionView["questions"] = questions,
): readonly object[] {
  const named = [...all.values()];
  return [...questions.values()].map((question) => ({ ...question, typed: typedNameAmong(question, named) }));
}
