// Questions of an agent to the user. One question may have several items (the programs ask in batches); a reply
// answers all items or declines the whole. Owns the shapes and the check of an answer; who answers is the caller's.

import { AtomicError } from "../lib/errors.ts";

export interface AgentQuestionOption {
  readonly label: string;
  readonly description?: string | undefined;
}

export interface QuestionItem {
  readonly text: string;
  /** A word or two for a tab or a column. */
  readonly header?: string | undefined;
  readonly options: readonly AgentQuestionOption[];
  /** More than one option may be chosen. */
  readonly isMultiple: boolean;
  /** Free text is accepted as well as the options. Always true when there are no options. */
  readonly isFreeText: boolean;
}

export interface AgentQuestion {
  readonly id: string;
  /** The sub-agent that asks; absent: the agent of the session. */
  readonly agentId?: string | undefined;
  readonly items: readonly QuestionItem[];
}

export type DeclineReason = "declined" | "interrupted" | "timeout" | "failed";

export type QuestionReply =
  /** Per item, in order: the labels chosen or the text typed. */
  | { readonly type: "answered"; readonly answers: readonly (readonly string[])[] }
  | { readonly type: "declined"; readonly reason: DeclineReason; readonly message?: string | undefined };

/** Answers a question, now or much later. The signal aborts when the answer is no longer awaited. */
export type QuestionHandler = (question: AgentQuestion, signal: AbortSignal) => QuestionReply | Promise<QuestionReply>;

/** The same answer to every item: the usual case of one item. */
export function answer(question: AgentQuestion, ...values: readonly string[]): QuestionReply {
  return { type: "answered", answers: question.items.map(() => values) };
}

export const declined: QuestionReply = { type: "declined", reason: "declined" };

export const declineAll: QuestionHandler = () => declined;

/** What an agent reads in place of an answer. */
export function declinedText(reply: Extract<QuestionReply, { type: "declined" }>): string {
  if (reply.message !== undefined) return `The question was not answered: ${reply.message}`;
  if (reply.reason === "timeout") return "No one answered in time. Continue without an answer.";
  return "The person declined to answer. Continue without an answer.";
}

/** Refuses an answer that does not fit its question, before it reaches the agent. */
export function checkReply(question: AgentQuestion, reply: QuestionReply): void {
  if (reply.type === "declined") return;
  if (reply.answers.length !== question.items.length) {
    throw unfit(question, `it has ${question.items.length} item(s), the reply has ${reply.answers.length}`);
  }
  question.items.forEach((item, index) => {
    const values = reply.answers[index] ?? [];
    if (values.length === 0) throw unfit(question, `"${item.text}" has no answer`);
    if (values.length > 1 && !item.isMultiple)
      throw unfit(question, `"${item.text}" takes one answer, not ${values.length}`);
    if (item.isFreeText || item.options.length === 0) return;
    const unknown = values.find((value) => !item.options.some((option) => option.label === value));
    if (unknown !== undefined) {
      const labels = item.options.map((option) => `"${option.label}"`).join(", ");
      throw unfit(question, `"${item.text}" takes one of ${labels}, not "${unknown}"`);
    }
  });
}

function unfit(question: AgentQuestion, problem: string): AtomicError {
  return new AtomicError(
    "QUESTION_ANSWER_INVALID",
    `The answer does not fit question ${question.id}: ${problem}. Answer again.`,
    {
      details: { question: question.id },
    },
  );
}
