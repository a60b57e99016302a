// The program's way of asking the user (the tool ask_user) and the port's, converted both ways.

import type { TurnSink } from "../backend-session.ts";
import { declinedText } from "../questions.ts";
import type { UserInputQuestion } from "./copilot-protocol.ts";

export interface UserInputAnswer {
  readonly answer: string;
  readonly wasFreeform: boolean;
}

/** `sink` belongs to the current turn. Sub-agents can't ask, so the question is from the agent itself. */
export async function answerQuestion(
  question: UserInputQuestion,
  sink: TurnSink | undefined,
): Promise<UserInputAnswer> {
  const options = (question.choices ?? []).map((label) => ({ label }));
  const item = {
    text: question.question,
    options,
    isMultiple: false,
    isFreeText: question.allowFreeform !== false || options.length === 0,
  };
  const reply = await sink?.ask({ items: [item] });
  // The program knows no way to decline: what is said in place of an answer is one too.
  if (reply?.type !== "answered")
    return { answer: declinedText(reply ?? { type: "declined", reason: "interrupted" }), wasFreeform: true };
  const answer = reply.answers[0]?.join(", ") ?? "";
  return { answer, wasFreeform: !options.some(({ label }) => label === answer) };
}
