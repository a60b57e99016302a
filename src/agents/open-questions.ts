// The questions of one turn that wait for an answer. The first of handler, `answer`, limit and interrupt closes a
// question; whatever comes later finds it gone.

import { AtomicError, messageOf } from "../lib/errors.ts";
import { createDeferred } from "../lib/deferred.ts";
import type { PublishedEvent } from "./backend-session.ts";
import {
  checkReply,
  type DeclineReason,
  type AgentQuestion,
  type QuestionHandler,
  type QuestionReply,
} from "./questions.ts";

interface OpenQuestion {
  readonly question: AgentQuestion;
  readonly askedAt: number;
  readonly close: (reply: QuestionReply) => void;
}

export interface OpenQuestions {
  ask(question: Omit<AgentQuestion, "id">, handler: QuestionHandler | undefined): Promise<QuestionReply>;
  answer(questionId: string, reply: QuestionReply): boolean;
  declineAll(reason: DeclineReason): void;
  oldest(): { readonly askedAt: number; readonly expire: () => void } | undefined;
}

export interface OpenQuestionsOptions {
  readonly publish: (event: PublishedEvent) => void;
  readonly newId: () => string;
  readonly now: () => number;
  readonly onClosed: () => void;
}

export function createOpenQuestions(options: OpenQuestionsOptions): OpenQuestions {
  const open = new Map<string, OpenQuestion>();

  function ask(asked: Omit<AgentQuestion, "id">, handler: QuestionHandler | undefined): Promise<QuestionReply> {
    const question: AgentQuestion = { ...asked, id: options.newId() };
    const gone = new AbortController();
    const answered = createDeferred<QuestionReply>();
    const close = (reply: QuestionReply): void => {
      if (!open.delete(question.id)) return;
      gone.abort();
      options.publish(closing(question, reply));
      options.onClosed();
      answered.resolve(reply);
    };
    open.set(question.id, { question, askedAt: options.now(), close });
    options.publish({ type: "question.asked", agentId: question.agentId, question });
    if (handler !== undefined) void consult(handler, question, gone.signal, close);
    return answered.promise;
  }

  return {
    ask,
    answer(questionId, reply) {
      const entry = open.get(questionId);
      if (entry === undefined) return false;
      checkReply(entry.question, reply);
      entry.close(reply);
      return true;
    },
    declineAll(reason) {
      for (const entry of [...open.values()]) entry.close({ type: "declined", reason });
    },
    oldest() {
      const entry = open.values().next().value;
      return entry && { askedAt: entry.askedAt, expire: () => entry.close({ type: "declined", reason: "timeout" }) };
    },
  };
}

/** A handler that fails, or answers what was not asked, declines: the agent continues, and the event says why. */
async function consult(
  handler: QuestionHandler,
  question: AgentQuestion,
  signal: AbortSignal,
  close: (reply: QuestionReply) => void,
): Promise<void> {
  try {
    const reply = await handler(question, signal);
    checkReply(question, reply);
    close(reply);
  } catch (thrown) {
    close({ type: "declined", reason: "failed", message: messageOf(thrown) });
  }
}

function closing(question: AgentQuestion, reply: QuestionReply): PublishedEvent {
  const ids = { agentId: question.agentId, questionId: question.id };
  if (reply.type === "answered") return { ...ids, type: "question.answered", answers: reply.answers };
  return {
    ...ids,
    type: "question.declined",
    reason: reply.reason,
    ...(reply.message !== undefined && { message: reply.message }),
  };
}

/** The error for an answer that comes too late, or to a question of another session. */
export function questionGone(questionId: string): AtomicError {
  return new AtomicError(
    "QUESTION_UNKNOWN",
    `No question ${questionId} is open in this session: it was answered, declined, or its turn ended.`,
    {
      details: { question: questionId },
    },
  );
}
