// Why a run stopped and how to continue, for the last lines on stderr.

import type { RunResult } from "../../app/runs-start.ts";
import { endSentence } from "../../lib/end-sentence.ts";
import { safeLine, safeText } from "../../lib/safe-text.ts";
import { commandToAnswer } from "../print/question-text.ts";

export interface StopFacts {
  /** The workflow's name, as it is shown. */
  readonly title: string;
  /** The limit that was reached. */
  readonly limit: string | undefined;
  /** Questions are declined. */
  readonly noQuestions: boolean;
  /** Ids of questions whose answer commands were printed just before: they are not repeated. */
  readonly answerable: ReadonlySet<string>;
}

const limitFlags: Readonly<Record<string, string>> = {
  "max-iterations": "--max-iterations N",
  "max-cost": "--max-cost USD",
  "max-tokens": "--max-tokens N",
  "max-minutes": "--max-minutes N",
  "max-wait": "--max-wait MINUTES",
};

/** Undefined when all is done. */
export function stopText(result: RunResult, { title, ...facts }: StopFacts): string | undefined {
  const { run, message } = result;
  switch (result.status) {
    case "completed":
      return undefined;
    case "failed":
      return [
        `${title} session failed: ${run}`,
        safeText(message ?? "No reason was given."),
        `See \`atomic sessions show ${run}\` and \`atomic sessions logs ${run}\`.`,
        `Retry what failed with: atomic resume ${run}`,
      ].join("\n");
    case "cancelled":
      return `Cancelled ${title} session: ${run}\nA cancelled run can't be resumed.`;
    case "paused":
      return [`Paused ${title} session: ${run}`, ...pauseLines(result, facts)].join("\n");
  }
}

function pauseLines(
  result: RunResult,
  { limit, noQuestions, answerable }: Omit<StopFacts, "title">,
): readonly string[] {
  const { run, message, questions } = result;
  const why = message === undefined ? [] : [sentence(safeText(message))];
  const flag = limit === undefined ? undefined : limitFlags[limit];
  switch (result.reason) {
    case "needs-human":
      return [
        ...why,
        ...questions.flatMap((question) => [
          `It asks: ${safeLine(question.text, 500)}`,
          ...(answerable.has(question.id) ? [] : [`  ${commandToAnswer(run, question, questions)} VALUE`]),
        ]),
        ...(noQuestions && questions.length > 0
          ? [
              `--no-questions declines questions, and ${questions.length === 1 ? "this one has" : "these have"} no default.`,
            ]
          : []),
        `Resume with: atomic resume ${run}`,
      ];
    case "budget":
      return [...why, `Resume with: atomic resume ${run}${flag === undefined ? "" : ` ${flag}`}`];
    default:
      return [...why, `Resume with: atomic resume ${run}`];
  }
}

function sentence(text: string): string {
  return endSentence(`${text.charAt(0).toUpperCase()}${text.slice(1)}`);
}
