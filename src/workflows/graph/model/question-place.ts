// Which question is meant: its id alone does not say, because a later visit may ask with the same one.

import type { RunAnswerRequest } from "../../../journal/port.ts";

export interface QuestionPlace {
  readonly id: string;
  /** Of the visit that asks. */
  readonly key: string;
}

/** A request without a key is for any question of that id. */
export function isForQuestion({ question, key }: RunAnswerRequest, place: QuestionPlace): boolean {
  return question === place.id && (key === undefined || key === place.key);
}

/** What the subject of a warning starts with when an answer to this question came too late. */
export function lateSubject({ id, key }: QuestionPlace): string {
  return `${key} ${id} `;
}
