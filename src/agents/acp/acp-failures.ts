// Why an agent could not do what it was asked. The protocol has a few codes; the rest is text for humans.

import { AtomicError, messageOf } from "../../lib/errors.ts";
import { turnFailure, type FailureKind, type TurnFailure } from "../failures.ts";
import { classifyFailure } from "../limit-texts.ts";
import { errorKindOf, rpcErrorText, statusOf, wordsOf } from "./error-data.ts";
import type { RpcError } from "./rpc-peer.ts";

const authRequired = -32000;
const notFound = -32002;

/** What agents put into `data.errorKind` of a failed prompt: a draft of the protocol. */
const kindOfErrorKind: Readonly<Record<string, FailureKind>> = {
  rate_limit: "rate_limited",
  authentication_failed: "auth",
  billing_error: "budget",
  overloaded: "overloaded",
  server_error: "overloaded",
  max_output_tokens: "invalid_output",
};

export function promptFailure(error: RpcError, now: number): TurnFailure {
  const base = classify(error, now);
  if (error.code === authRequired) return turnFailure("auth", base.message);
  if (error.code === notFound) return turnFailure("refused", base.message);
  // The words of a limit are more exact than a category: missing credit comes as a rate limit too.
  const byKind = kindOfErrorKind[errorKindOf(error)];
  const kind = base.kind === "budget" || base.kind === "context_overflow" ? base.kind : (byKind ?? base.kind);
  return turnFailure(kind, base.message, {
    ...(base.status !== undefined && { status: base.status }),
    ...(base.resetAt !== undefined && kind === "rate_limited" && { resetAt: base.resetAt }),
  });
}

/** By the sentence for a user; where that says nothing, by all words that came with it. */
function classify(error: RpcError, now: number): TurnFailure {
  const status = statusOf(error);
  const text = rpcErrorText(error);
  const failure = classifyFailure(text, { now, status });
  const words = wordsOf(error);
  if (words === undefined || failure.resetAt !== undefined) return failure;
  const byWords = classifyFailure(`${text} ${words}`, { now, status });
  const isMore = failure.kind === "crashed" || failure.kind === byWords.kind;
  return isMore ? { ...byWords, message: failure.message } : failure;
}

/** The refusal to open a session. `logins` are the agent's ways to log in. */
export function openError(
  agent: string,
  error: RpcError,
  resume: string | undefined,
  logins: readonly string[],
): AtomicError {
  const details = { agent, code: error.code };
  if (
    resume !== undefined &&
    (error.code === notFound || /not found|unknown session|no such session/i.test(rpcErrorText(error)))
  )
    return new AtomicError("AGENT_SESSION_UNKNOWN", `"${agent}" has no session ${resume}. Start a new one.`, {
      details: { ...details, session: resume },
    });
  if (error.code === authRequired) {
    const ways = logins.length === 0 ? "" : ` It offers: ${logins.join(", ")}.`;
    return new AtomicError(
      "AGENT_UNAVAILABLE",
      `"${agent}" wants a login first. Log in with the program itself.${ways}`,
      {
        details,
      },
    );
  }
  return new AtomicError("AGENT_UNAVAILABLE", `"${agent}" can't open a session: ${rpcErrorText(error)}`, { details });
}

/** A program that ended, or turned out to be no agent, before it had opened a session. `said` is what it printed. */
export function brokenAgent(
  thrown: unknown,
  { kind, file }: { readonly kind: string; readonly file: string },
  said: readonly string[],
): AtomicError {
  const words = said.map((text) => text.trim()).filter((text) => text !== "");
  const quote = words.length === 0 ? "" : ` It said: ${JSON.stringify(words.join("\n").slice(-500))}`;
  return new AtomicError(
    "AGENT_UNAVAILABLE",
    `The agent "${kind}" does not work: ${messageOf(thrown)}.${quote} Check that the command starts an ACP agent.`,
    { cause: thrown, details: { path: file } },
  );
}
