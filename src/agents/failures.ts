// Why a turn failed, in the words of docs/agents.md. Owns the kinds, which of them may pass by themselves, and the
// way from a failure to an error and back. Recognising a kind in a program's text is limit-texts.ts.

import { AtomicError, messageOf } from "../lib/errors.ts";

export const failureKinds = [
  /** A rate or usage limit of the account. `resetAt` when the program said when it ends. */
  "rate_limited",
  /** The model's service can't answer now: it is overloaded, broken or not reachable. */
  "overloaded",
  /** Not logged in, or the key was refused. */
  "auth",
  /** No credit, or a spending limit of the account. */
  "budget",
  /** The conversation does not fit the model's context. */
  "context_overflow",
  /** A limit of this program passed: silence, a tool, the start. */
  "timeout",
  /** The agent's program died, or its stream ended, without a result. */
  "crashed",
  /** The model or its provider refused the request; asking again changes nothing. */
  "refused",
  /** The program's output could not be understood. */
  "invalid_output",
] as const;

export type FailureKind = (typeof failureKinds)[number];

export interface TurnFailure {
  readonly kind: FailureKind;
  /** What happened, and what to do, for a user. */
  readonly message: string;
  /** True when the same turn may succeed later with nothing changed. */
  readonly retryable: boolean;
  /** When the limit ends, in milliseconds since the epoch. */
  readonly resetAt?: number | undefined;
  /** The exit code of the agent's program, when it ended. */
  readonly exitCode?: number | undefined;
  /** The HTTP status of the model's service, if the program reports it. */
  readonly status?: number | undefined;
}

const passing: ReadonlySet<FailureKind> = new Set([
  "rate_limited",
  "overloaded",
  "timeout",
  "crashed",
  "invalid_output",
]);

export function turnFailure(
  kind: FailureKind,
  message: string,
  facts: Partial<Omit<TurnFailure, "kind" | "message">> = {},
): TurnFailure {
  return { kind, message, retryable: passing.has(kind), ...facts };
}

/** The failure as an error, for callers that want a result or an exception. */
export function turnError(failure: TurnFailure): AtomicError {
  return new AtomicError("AGENT_TURN_FAILED", failure.message, {
    retryable: failure.retryable,
    details: { ...failure },
  });
}

/** What a thrown value means for the turn that was under way. */
export function failureOf(thrown: unknown): TurnFailure {
  if (AtomicError.is(thrown, "AGENT_TURN_FAILED") && isFailureKind(thrown.details["kind"])) {
    const { resetAt, exitCode, status } = thrown.details;
    return {
      kind: thrown.details["kind"],
      message: thrown.message,
      retryable: thrown.retryable,
      ...(typeof resetAt === "number" && { resetAt }),
      ...(typeof exitCode === "number" && { exitCode }),
      ...(typeof status === "number" && { status }),
    };
  }
  return turnFailure("crashed", messageOf(thrown), AtomicError.is(thrown) ? { retryable: thrown.retryable } : {});
}

function isFailureKind(value: unknown): value is FailureKind {
  return failureKinds.some((kind) => kind === value);
}
