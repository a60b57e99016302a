// Answers to a run's questions: which question is meant, whether the answer fits, and keeping it for a run that has
// stopped. Sending it to a process that runs is left to runs-requests.ts.

import { AtomicError } from "../lib/errors.ts";
import type { Json } from "../lib/json.ts";
import { safeLine } from "../lib/safe-text.ts";
import type { RunAnswerRequest, JournalHandle } from "../journal/port.ts";
import { fitAnswer, typedNameAmong, typedNames } from "../workflows/graph/model/answer-value.ts";
import { isForQuestion } from "../workflows/graph/model/question-place.ts";
import type { RunStore } from "../workflows/sessions/run-store.ts";
import type { OpenQuestionView } from "../workflows/sessions/session-view.ts";
import type { RunStatus } from "./run-status.ts";
import type { RunPage } from "./run-page.ts";

export interface GivenAnswer {
  /** By its id, a short name, or its text. */
  readonly question?: string | undefined;
  readonly value?: Json | undefined;
  /** It gets its default instead of a value. */
  readonly isDeclined?: boolean | undefined;
}

/** What is stored; throws QUESTION_ANSWER_INVALID for what does not fit. */
export function answerValue(question: OpenQuestionView, given: GivenAnswer, redact: (text: string) => string): Json {
  if (given.isDeclined === true) {
    if (question.default !== undefined) return question.default;
    throw invalidAnswer(question, "It has no default, so it can't be declined.");
  }
  const { value = "" } = given;
  if (typeof value === "string" && value.trim() === "") throw invalidAnswer(question, "The answer is empty.");
  const fitted = fitAnswer(question, value);
  if ("problem" in fitted) throw invalidAnswer(question, fitted.problem);
  return typeof fitted.value === "string" ? redact(fitted.value) : fitted.value;
}

export function invalidAnswer(question: OpenQuestionView, problem: string): AtomicError {
  return new AtomicError(
    "QUESTION_ANSWER_INVALID",
    `The answer to "${safeLine(question.text, 100)}" was not taken: ${safeLine(problem, 400)}`,
    { details: { question: question.id, options: question.options.map(({ label }) => label) } },
  );
}

export function answeredAlready(run: string, question: OpenQuestionView): AtomicError {
  return new AtomicError(
    "QUESTION_UNKNOWN",
    `The question "${safeLine(question.text, 100)}" of run ${run} has an answer already; yours was not taken. Resume the run with \`atomic resume ${run}\`.`,
    { details: { run, question: question.id } },
  );
}

/**
 * For the next owner. Briefly owns the run itself: of two answers at once, the second gets an error.
 * False when a process has the run by now: that one is sent the answer.
 */
export async function keepAnswer(
  store: Pick<RunStore, "open" | "request">,
  run: string,
  question: OpenQuestionView,
  request: RunAnswerRequest,
): Promise<boolean> {
  let handle: JournalHandle;
  try {
    handle = await store.open(run, { mode: "resume" });
  } catch (thrown) {
    if (AtomicError.is(thrown, "RUN_OWNED")) return false;
    throw thrown;
  }
  try {
    const isAnswered = (await handle.pending()).some((each) => each.type === "answer" && isForQuestion(each, question));
    if (isAnswered) throw answeredAlready(run, question);
    await store.request(run, request);
    return true;
  } finally {
    await handle.close();
  }
}

export function notOpen(run: string, question: OpenQuestionView): AtomicError {
  return new AtomicError(
    "QUESTION_UNKNOWN",
    `The question "${safeLine(question.text, 100)}" of run ${run} is no longer open; your answer was not taken. \`atomic sessions show ${run}\` shows what it asks.`,
    { details: { run, question: question.id } },
  );
}

export function isSameJson(a: Json | undefined, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Names mean the same before and after another question got its answer: those with one count as well. */
export function chooseQuestion({ view, status, savedAnswers }: RunPage, wanted: string | undefined): OpenQuestionView {
  const open = [...view.questions.values()];
  const answered = savedAnswers.map(({ question }) => question);
  const all = [...answered, ...open];
  const fitting =
    wanted === undefined ? (open.length === 0 ? answered.slice(0, 1) : open) : matching(all, wanted.trim());
  const [first] = fitting;
  if (first !== undefined && fitting.length === 1) {
    if (answered.includes(first)) throw answeredAlready(view.id, first);
    return first;
  }
  throw new AtomicError("QUESTION_UNKNOWN", refusalText({ id: view.id, status, open, all, wanted }), {
    details: { run: view.id, questions: open.map(({ id, text }) => ({ id, text })) },
  });
}

/** By its id or a short name, else by its text, else by its node. */
function matching(open: readonly OpenQuestionView[], wanted: string): readonly OpenQuestionView[] {
  const ways: readonly ((question: OpenQuestionView) => boolean)[] = [
    (question) => question.id === wanted || typedNameAmong(question, open) === wanted,
    (question) => typedNames(question).includes(wanted),
    ({ text }) => text.trim() === wanted,
    ({ node }) => node === wanted,
  ];
  return ways.map((isMeant) => open.filter(isMeant)).find((found) => found.length > 0) ?? [];
}

function refusalText(asked: {
  readonly id: string;
  readonly status: RunStatus;
  readonly open: readonly OpenQuestionView[];
  readonly all: readonly OpenQuestionView[];
  readonly wanted: string | undefined;
}): string {
  const { id, status, open, all, wanted } = asked;
  if (open.length === 0)
    return `Run ${id} (${status}) has no open questions. \`atomic sessions show ${id}\` shows its state.`;
  const list = open
    .map((question) => `  ${safeLine(typedNameAmong(question, all))}: ${safeLine(question.text)}`)
    .join("\n");
  const problem =
    wanted === undefined
      ? `Run ${id} asks ${open.length} questions; say which one you answer with --question`
      : `Run ${id} has no open question ${JSON.stringify(safeLine(wanted, 80))}; choose one of these with --question`;
  return `${problem} (its id or its text):\n${list}`;
}
