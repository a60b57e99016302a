// Why a turn of the program failed. It is reported as a `session.error` with a category and a text for humans; the end of
// the turn after it looks like any other.

import { turnFailure, type FailureKind, type TurnFailure } from "../failures.ts";
import { classifyFailure } from "../limit-texts.ts";
import { answerCutOff, answerRefused } from "../unfinished-turns.ts";
import { numberIn, textIn, type Fields } from "../fields.ts";

const kindOfType: Readonly<Record<string, FailureKind>> = {
  authentication: "auth",
  authorization: "auth",
  quota: "budget",
  rate_limit: "rate_limited",
  context_limit: "context_overflow",
  policy: "refused",
};

const kindOfRetry: Readonly<Record<string, FailureKind>> = {
  transient_auth_error: "auth",
  rate_limit: "rate_limited",
  api_error: "overloaded",
  streaming_error: "overloaded",
  forced_compaction: "context_overflow",
};

export function errorFailure(error: Fields, now: number): TurnFailure {
  const status = numberIn(error, "statusCode");
  const base = classifyFailure(textIn(error, "message") ?? "", { now, status });
  const byType = kindOfType[textIn(error, "errorType") ?? ""];
  // The words of a limit are more exact than its category: missing credit comes as a rate limit too.
  const kind = base.kind === "budget" || base.kind === "context_overflow" ? base.kind : (byType ?? base.kind);
  const resetAt = kind === "rate_limited" ? base.resetAt : undefined;
  return turnFailure(kind, base.message, {
    ...(base.status !== undefined && { status: base.status }),
    ...(resetAt !== undefined && { resetAt }),
  });
}

/** How the model's last answer ended, if it is unfinished. The program treats it like any other answer. */
export function finishFailure(reason: string | undefined): TurnFailure | undefined {
  if (reason === "length") return answerCutOff();
  return reason === "content_filter" ? answerRefused() : undefined;
}

/** A failure that the program tries to get over by itself. */
export function copilotRetryFailure(reason: string): TurnFailure {
  const kind = kindOfRetry[reason] ?? "overloaded";
  return turnFailure(kind, `The model's service could not answer (${reason.replaceAll("_", " ")}).`);
}
