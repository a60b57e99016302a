// What OpenCode's errors mean for a turn.

import { turnFailure, type TurnFailure } from "../failures.ts";
import { classifyFailure } from "../limit-texts.ts";
import type { HeaderValues } from "../reset-time.ts";
import type { OpencodeError, RetryStatus } from "./wire.ts";

/** Stopped on request: not a failure. */
export function isAborted(error: OpencodeError): boolean {
  return error.name === "MessageAbortedError";
}

export function opencodeErrorText({ name, data }: OpencodeError): string {
  const message = data["message"];
  return typeof message === "string" && message !== "" ? message : name;
}

export function failureOfError(error: OpencodeError, now: number): TurnFailure {
  const message = opencodeErrorText(error);
  switch (error.name) {
    case "ProviderAuthError":
      return turnFailure("auth", `${message}. Log in with "opencode auth login".`);
    case "ContextOverflowError":
      return turnFailure("context_overflow", message);
    case "ContentFilterError":
      return turnFailure("refused", message);
    default:
      return classify(error, message, now);
  }
}

function classify({ data }: OpencodeError, message: string, now: number): TurnFailure {
  const { statusCode, responseHeaders, responseBody } = data;
  // The message may be only "Too Many Requests", and the body say what is meant.
  const words = typeof responseBody === "string" ? `${message}\n${responseBody.slice(0, 4000)}` : message;
  const facts = {
    now,
    ...(typeof statusCode === "number" && { status: statusCode }),
    ...(isHeaders(responseHeaders) && { headers: responseHeaders }),
  };
  const failure = classifyFailure(words, facts);
  // It gave up after a number of attempts on something it holds to be passing: a stream that broke, for one.
  if (failure.kind === "crashed" && data["isRetryable"] === true) return { ...failure, kind: "overloaded", message };
  return { ...failure, message };
}

/** Why OpenCode waits before it tries again: always something that it holds to be passing. */
export function failureOfRetry({ message }: RetryStatus, now: number): TurnFailure {
  const failure = classifyFailure(message, { now });
  return failure.kind === "crashed" ? turnFailure("overloaded", message) : failure;
}

function isHeaders(value: unknown): value is HeaderValues {
  return typeof value === "object" && value !== null;
}
