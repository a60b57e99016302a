// What a program's error text means. The programs report rate limits, missing credit, refused keys and full contexts in
// plain text, each in its own words; a limit text that is taken for an answer makes a workflow continue with nothing.
// Owns the table of those words (docs/agents.md has where they come from). Use only on texts that are known to be
// errors: a model may well write "rate limit" in an answer.

import { turnFailure, type FailureKind, type TurnFailure } from "./failures.ts";
import { resetTimeFromHeaders, resetTimeFromText, type HeaderValues } from "./reset-time.ts";

export interface FailureFacts {
  readonly now: number;
  /** HTTP status of the model's service, when known. */
  readonly status?: number | undefined;
  readonly headers?: HeaderValues | undefined;
}

/** First fit decides: money before rate (both come with 429), context before other refusals (both come with 400). */
const texts: readonly (readonly [FailureKind, RegExp])[] = [
  [
    "budget",
    /credit balance (?:is )?too low|insufficient[_ ](?:quota|balance|credits?|funds)|no quota\b|quota_exceeded|exceeded your current quota|exceeded your (?:monthly quota|premium request)|out of credits|spend(?:ing)? (?:limit|cap)|billing (?:limit|hard limit)|payment required|free usage exceeded/i,
  ],
  [
    "context_overflow",
    /prompt (?:is|as) too long|context[_ ](?:length|window)[_ ]?exceed|exceeds? (?:the )?(?:model'?s )?(?:maximum )?context|maximum context length|exceed context limit|exceeds? (?:the )?(?:model'?s )?prompt budget|context_length_exceeded|input is too long|too many (?:input )?tokens in (?:the )?prompt|ContextOverflowError/i,
  ],
  [
    "rate_limited",
    /usage limit reached|hit your (?:\w+ ){0,2}limit|(?:hour|weekly|daily|monthly|session|opus|sonnet|usage) limit reached|reached your (?:\w+ ){0,2}(?:rate |usage )?limit|exceeded your (?:\w+ )?rate limit|rate[-_ ]?limit|too[_ ]many[_ ]requests|out of extra usage|\b429\b/i,
  ],
  [
    "overloaded",
    /overloaded|\b529\b|service[_ ]unavailable|temporarily unavailable|internal[_ ]server[_ ]error|api_error|bad gateway|\b50[0234]\b|server had an error|connection error|ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|fetch failed|socket hang up|unable to connect|network error|failed to get response from the ai model/i,
  ],
  [
    "auth",
    /invalid (?:x-)?api[- ]key|incorrect api key|authentication[_ ](?:error|failed|information)|not (?:logged in|authenticated|authori[sz]ed)|please (?:run )?\/login|unauthori[sz]ed|oauth (?:token|authentication)|token (?:has )?expired|ProviderAuthError|created with authentication info|permission_error|\b401\b|\b403\b/i,
  ],
  [
    "refused",
    /violates? (?:our|the) (?:usage )?polic|usage policy|content[_ ](?:policy|filter)|refus(?:al|ed)|invalid_request_error|not_found_error|model_not_found|model.{0,60}(?:not (?:found|exist|available|supported)|does not exist)|\b400\b|\b404\b|\b422\b/i,
  ],
  [
    "invalid_output",
    /empty or malformed response|no response was returned|exceeded the \d+ output token maximum|max_output_tokens/i,
  ],
  ["timeout", /timed out|timeout/i],
];

const kindOfStatus: Readonly<Record<number, FailureKind>> = {
  400: "refused",
  401: "auth",
  402: "budget",
  403: "auth",
  404: "refused",
  408: "timeout",
  413: "context_overflow",
  422: "refused",
  429: "rate_limited",
};

/**
 * The failure behind an error text. The words win over the status where they are more exact (429 for missing credit,
 * 400 for a full context, 403 for a rate limit); without either it is `crashed`.
 */
export function classifyFailure(text: string, facts: FailureFacts): TurnFailure {
  const status = facts.status ?? statusIn(text);
  const kind = decide(text, status);
  const resetAt = kind === "rate_limited" || kind === "overloaded" ? resetTime(text, facts) : undefined;
  const message =
    text.trim() === ""
      ? `The agent reported a failure without a text${status === undefined ? "" : ` (status ${status})`}.`
      : text.trim();
  return turnFailure(kind, message, {
    ...(status !== undefined && { status }),
    ...(resetAt !== undefined && { resetAt }),
  });
}

function decide(text: string, status: number | undefined): FailureKind {
  const byStatus =
    status === undefined ? undefined : (kindOfStatus[status] ?? (status >= 500 ? "overloaded" : undefined));
  const byText = texts.find(([, pattern]) => pattern.test(text))?.[0];
  if (byText === undefined) return byStatus ?? "crashed";
  if (byStatus === undefined) return byText;
  // These words are never an accident; other words in a body of another status are often only a part of it.
  return byText === "budget" || byText === "context_overflow" || byText === "rate_limited" ? byText : byStatus;
}

function statusIn(text: string): number | undefined {
  const match =
    /\b(?:API Error|Error|status(?: code)?|HTTP|failed)[:( ]*(?:\w+ )?\(?([45]\d\d)\b/i.exec(text) ??
    /^([45]\d\d) /.exec(text);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

function resetTime(text: string, facts: FailureFacts): number | undefined {
  return (
    (facts.headers === undefined ? undefined : resetTimeFromHeaders(facts.headers, facts.now)) ??
    resetTimeFromText(text, facts.now)
  );
}
