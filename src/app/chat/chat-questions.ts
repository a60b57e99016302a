// The open questions of a chat as its record has them, so that other processes see and answer them: one
// `question.asked` and one `question.answered` for each item. Owns the names of items and the answers that came from
// elsewhere so far; who hands a whole reply to the agent is the conversation's business.

import { questionGone } from "../../agents/open-questions.ts";
import type { AgentQuestion, QuestionItem, QuestionReply } from "../../agents/questions.ts";
import type { JournalEvent } from "../../journal/port.ts";
import type { Json } from "../../lib/json.ts";

export interface ChatQuestions {
  /** For the record, when it is asked. */
  asked(question: AgentQuestion): readonly JournalEvent[];
  /**
   * For the record, when it ends: the answer, or undefined if it was declined. Empty if the end is already recorded.
   */
  closed(id: string, answers: readonly (readonly string[])[] | undefined): readonly JournalEvent[];
  /** For the record, at the end of a turn: all that are still open were declined. */
  closeAll(): readonly JournalEvent[];
  /**
   * An answer from another process: the question and its reply once every item has one. Null declines the whole. Throws
   * QUESTION_UNKNOWN.
   */
  take(request: AnswerRequest): { readonly id: string; readonly reply: QuestionReply } | undefined;
}

export interface AnswerRequest {
  readonly id: string;
  readonly question: string;
  readonly value: Json;
}

interface OpenQuestion {
  readonly question: AgentQuestion;
  /** By item: what another process answered. */
  readonly given: Map<number, AnswerRequest>;
}

/** A turn of a chat belongs to no node; the chat stands in for it. */
export const chatPlace = { key: "chat", node: "chat" } as const;

export function createChatQuestions(redact: (text: string) => string): ChatQuestions {
  const open = new Map<string, OpenQuestion>();

  function closed(id: string, answers: readonly (readonly string[])[] | undefined): readonly JournalEvent[] {
    const found = open.get(id);
    if (found === undefined) return [];
    open.delete(id);
    return found.question.items.map((item, i): JournalEvent => {
      const request = found.given.get(i);
      const answer = answers === undefined ? null : answerOf(item, answers[i] ?? [], redact);
      return {
        type: "question.answered",
        key: chatPlace.key,
        question: itemId(found.question, i),
        answer: request?.value ?? answer,
        by: request === undefined ? "handler" : "request",
        ...(request !== undefined && { request: request.id }),
      };
    });
  }

  return {
    asked(question) {
      open.set(question.id, { question, given: new Map() });
      return question.items.map((item, i): JournalEvent => ({
        type: "question.asked",
        ...chatPlace,
        question: {
          id: itemId(question, i),
          text: redact(item.text),
          ...(item.header !== undefined && { header: redact(item.header) }),
          options: item.options.map(({ label, description }) => ({
            label: redact(label),
            ...(description !== undefined && { description: redact(description) }),
          })),
          multiSelect: item.isMultiple,
          freeText: item.isFreeText,
          // Declining is always possible: the agent is told so.
          default: null,
        },
      }));
    },
    closed,
    closeAll: () => [...open.keys()].flatMap((id) => closed(id, undefined)),
    take(request) {
      for (const { question, given } of open.values()) {
        const i = question.items.findIndex((_, index) => itemId(question, index) === request.question);
        if (i === -1) continue;
        given.set(i, request);
        if (request.value === null) return { id: question.id, reply: { type: "declined", reason: "declined" } };
        if (given.size < question.items.length) return undefined;
        const answers = question.items.map((item, index) => labelsOf(item, given.get(index)?.value ?? "", redact));
        return { id: question.id, reply: { type: "answered", answers } };
      }
      throw questionGone(request.question);
    },
  };
}

/** Its question's own id where it is the only one. */
function itemId({ id, items }: AgentQuestion, index: number): string {
  return items.length === 1 ? id : `${id}.${index + 1}`;
}

function answerOf({ isMultiple }: QuestionItem, values: readonly string[], redact: (text: string) => string): Json {
  const masked = values.map(redact);
  return isMultiple ? masked : (masked[0] ?? "");
}

/** Options are named as the agent knows them: the record may have masked a part of them. */
function labelsOf(item: QuestionItem, value: Json, redact: (text: string) => string): readonly string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => {
    const text = typeof each === "string" ? each : JSON.stringify(each);
    return item.options.find(({ label }) => redact(label) === text)?.label ?? text;
  });
}
