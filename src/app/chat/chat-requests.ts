// Handles requests of other processes to a chat that is open here (`atomic answer`, `atomic pause`, `atomic cancel`),
// one after the other, until the chat is released.

import { AtomicError } from "../../lib/errors.ts";
import type { AnswerRequest } from "./chat-questions.ts";
import type { ChatRecord } from "./chat-record.ts";

export interface RequestPorts {
  /** Throws QUESTION_UNKNOWN and QUESTION_ANSWER_INVALID. */
  answer(request: AnswerRequest): void;
  /** Releases the chat: its record is closed when it resolves. */
  pause(): Promise<void>;
}

export async function serveRequests(
  record: Pick<ChatRecord, "requests" | "acknowledge" | "append">,
  { answer, pause }: RequestPorts,
): Promise<void> {
  try {
    for await (const request of record.requests()) {
      await record.acknowledge(request.id);
      // The process that cancels it records the end as soon as no other process owns it.
      if (request.type !== "answer") return await pause();
      try {
        answer(request);
      } catch (thrown) {
        if (!AtomicError.is(thrown)) throw thrown;
        const { question } = request;
        await record.append([
          { type: "run.warned", kind: "answer-refused", message: thrown.message, subject: `${question} ${request.id}` },
        ]);
      }
    }
  } catch (thrown) {
    // A record that can't be read or written any more: the next message meets the same failure and reports it.
    if (!AtomicError.is(thrown)) throw thrown;
  }
}
