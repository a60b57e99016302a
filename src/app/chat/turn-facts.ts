// What a chat says about a turn and a compaction that are over: for the record, and for the user.

import type { TerminalEvent } from "../../agents/events.ts";
import type { CompactResult } from "../../agents/port.ts";
import { usageFacts } from "../../agents/recorded-usage.ts";
import type { JsonObject } from "../../lib/json.ts";

export function compactText(
  { beforeTokens, afterTokens, summary = "" }: CompactResult,
  focus: string | undefined,
): string {
  const about = focus === undefined ? "" : ` Focus: ${focus}`;
  const counts =
    beforeTokens === undefined || afterTokens === undefined ? "" : ` from ${beforeTokens} to ${afterTokens} tokens`;
  return `The conversation was compacted${counts}.${about}${summary.trim() === "" ? "" : `\n\n${summary.trim()}`}`;
}

export function finishedFacts(end: TerminalEvent): JsonObject {
  return {
    sessionId: end.sessionId,
    turn: end.turnId,
    outcome: end.type.slice("turn.".length),
    modelAsked: end.modelAsked ?? null,
    modelServed: end.modelServed ?? null,
    usage: usageFacts(end.usage),
    durationMs: end.durationMs,
    ...(end.type === "turn.failed" && { failure: { kind: end.failure.kind, message: end.failure.message } }),
  };
}
