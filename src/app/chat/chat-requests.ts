// What other processes ask of a chat that is open here (`atomic answer`, `atomic pause`, `atomic cancel`), one after the
// other, until the chat is given up.

import { AtomicError } from "../../lib/errors.ts";
import type { AnswerRequest } from "./chat-questions.ts";
import type { ChatRecord } from "./chat-record.ts";

export interface RequestPorts {
  /** Throws QUESTION_UNKNOWN and QUESTION_ANSWER_INVALID. */
  answer(request: AnswerRequest): void;
  /** Gives the chat up: its record is closed when it resolves. */
  pause(): Promise<void>;
}

export async function serveRequests(
  record: Pick<ChatRecord, "requests" | "acknowledge" | "append">,
  { answer, pause }: RequestPorts,
): Promise<void> {
  try {
    for await (const request of record.requests()) {
      await record.acknowledge(request.id);
      // Whoever wants it cancelled ends it as soon as no process has it.
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
