// Why a turn of the program failed. It reports an API failure as a result of subtype "success" with `is_error`, a text
// for humans, and a category on the message before it.

import { turnFailure, type FailureKind, type TurnFailure } from "../failures.ts";
import { classifyFailure } from "../limit-texts.ts";
import { answerCutOff, answerRefused } from "../unfinished-turns.ts";
import type { ResultMessage } from "./read-messages.ts";

export interface ClaudeFailureContext {
  readonly now: number;
  /** The category of the last message that the program made up to report a failure. */
  readonly category?: string | undefined;
  /** When the subscription's limit ends, if the program reported it. Milliseconds since the epoch. */
  readonly limitResetAt?: number | undefined;
}

const kindOfCategory: Readonly<Record<string, FailureKind>> = {
  authentication_failed: "auth",
  oauth_org_not_allowed: "auth",
  account_on_hold: "auth",
  verification_required: "auth",
  cloud_credential_error: "auth",
  billing_error: "budget",
  rate_limit: "rate_limited",
  overloaded: "overloaded",
  server_error: "overloaded",
  model_not_found: "refused",
  max_output_tokens: "invalid_output",
};

const kindOfReason: Readonly<Record<string, FailureKind>> = {
  prompt_too_long: "context_overflow",
  budget_exhausted: "budget",
  blocking_limit: "context_overflow",
  error_max_budget_usd: "budget",
  error_max_turns: "refused",
  malformed_tool_use_exhausted: "invalid_output",
};

/** The model's own signal that its last answer is unfinished, whatever the program makes of it. */
export function stopFailure({ stop_reason, result }: ResultMessage): TurnFailure | undefined {
  if (stop_reason === "refusal") return answerRefused(result?.replace(/^API Error: /, ""));
  return stop_reason === "max_tokens" ? answerCutOff() : undefined;
}

/** A failure of a whole turn. */
export function resultFailure(result: ResultMessage, context: ClaudeFailureContext): TurnFailure {
  const stopped = stopFailure(result);
  if (stopped !== undefined) return stopped;
  const text = result.result ?? result.errors?.join("\n") ?? "";
  const base = classifyFailure(text, { now: context.now, status: result.api_error_status ?? undefined });
  const kind = kindOfReason[result.terminal_reason ?? ""] ?? kindOfReason[result.subtype] ?? specific(base, context);
  const resetAt = kind === "rate_limited" ? (base.resetAt ?? context.limitResetAt) : undefined;
  return turnFailure(kind, base.message, {
    ...(base.status !== undefined && { status: base.status }),
    ...(resetAt !== undefined && { resetAt }),
  });
}

/** A failure that the program tries to get over by itself. */
export function claudeRetryFailure(category: string, status: number | null): TurnFailure {
  const kind = kindOfCategory[category] ?? (status === null ? "overloaded" : undefined);
  const how = status === null ? "no answer" : `status ${status}`;
  const message = `The model's service could not answer (${category.replaceAll("_", " ")}, ${how}).`;
  const base = classifyFailure(message, { now: 0, status: status ?? undefined });
  return turnFailure(kind ?? base.kind, message, status === null ? {} : { status });
}

/** The words of a limit are more exact than a category: missing credit comes as `rate_limit` too. */
function specific(base: TurnFailure, { category }: ClaudeFailureContext): FailureKind {
  if (base.kind === "budget" || base.kind === "context_overflow") return base.kind;
  return kindOfCategory[category ?? ""] ?? base.kind;
}
