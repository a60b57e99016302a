// A turn that ended normally without finished work: nothing was said or done, the model refused, or its
// answer was cut off. Backends recognise the last two in their program's words; the guard sees the first for all.

import { turnFailure, type TurnFailure } from "./failures.ts";

export function nothingDone(agent: string): TurnFailure {
  return turnFailure(
    "invalid_output",
    `The agent "${agent}" ended its turn without saying or doing anything. Run it again; if that does not help, check the model and the address of its service.`,
  );
}

/** The model stopped in the middle of an answer, because it may not write more at once. */
export function answerCutOff(): TurnFailure {
  return turnFailure(
    "invalid_output",
    "The model's answer was cut off at its output limit. Split the work into smaller parts, or raise the output limit of the model.",
  );
}

/** `said` is the model's or the program's word on it. */
export function answerRefused(said = ""): TurnFailure {
  const quote = said.trim();
  return turnFailure(
    "refused",
    `The model refused to answer.${quote === "" ? "" : ` It said: ${quote.slice(0, 500)}`}`,
  );
}
