// Failures that an agent reports as text before it ends the turn as if it had answered. Copilot does so with all of
// them; others write the error of the model's service where its answer should be. A model may well write about rate
// limits: only an answer that is nothing but an error, in a turn that did nothing else, counts as one.

import type { TurnFailure } from "../failures.ts";
import { classifyFailure } from "../limit-texts.ts";

export interface AnsweredTurn {
  /** All of the last message. */
  readonly text: string;
  /** The last piece of it. */
  readonly lastPiece: string;
  readonly hasUsedTools: boolean;
  /** The agent begins its own remarks with their kind, each in one piece: `AgentHabits.marksRemarks`. */
  readonly marksRemarks: boolean;
}

/** Longer than any error, shorter than most answers. */
const maxErrorChars = 1500;
const errorMark = /^\W{0,3}(?:api |fatal |internal )?error\b[:\s(]/i;
/** What Claude Code and its kin write in place of an answer. */
const wholeErrors =
  /^(?:claude (?:ai )?usage limit reached|you(?:'|’)ve (?:hit|reached) your .{0,40}limit|credit balance is too low|invalid api key|prompt is too long|not logged in|please run \/login)/i;

export function textFailure(turn: AnsweredTurn, now: number): TurnFailure | undefined {
  if (turn.marksRemarks && turn.lastPiece.startsWith("Error: "))
    return classifyFailure(turn.lastPiece.slice("Error: ".length), { now });
  const text = turn.text.trim();
  if (turn.hasUsedTools || text.length > maxErrorChars || !(errorMark.test(text) || wholeErrors.test(text)))
    return undefined;
  const failure = classifyFailure(text, { now });
  // Unknown text may be an answer after all.
  return failure.kind === "crashed" ? undefined : failure;
}

/** A remark of the agent's program among the model's words. They are whole sentences; a model writes in pieces. */
export function remarkIn(piece: string): { readonly level: "info" | "warning"; readonly message: string } | undefined {
  const [, kind, message] = /^(Warning|Info): (\S[\s\S]{20,}[.!])$/.exec(piece) ?? [];
  if (message === undefined) return undefined;
  return { level: kind === "Warning" ? "warning" : "info", message };
}
