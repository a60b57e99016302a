// The note a completed turn leaves, stored together with its end: after a crash the next try takes the result from here,
// and the turn is not taken again.

import type { Json, JsonObject } from "../lib/json.ts";
import type { AgentCallContext, SubagentResult } from "../workflows/graph/model/bridge.ts";

type Attempt = AgentCallContext["attempt"];

/** More than an answer has. One that is longer is not stored twice: a crash right after it takes the turn again. */
const maxChars = 1_000_000;

/** Undefined when the answer is too long for a note. */
export function turnNote(result: SubagentResult, { failures = 0 }: Attempt): Json | undefined {
  if (result.output.length > maxChars) return undefined;
  const { output, sessionId = null, modelUsed = null, usage } = result;
  return {
    type: "agent-turn",
    failures,
    output,
    sessionId,
    modelUsed,
    usage: usage === undefined ? null : { ...usage, costUsd: usage.costUsd ?? null },
  };
}

/** The turn that an interrupted try completed. A try that failed after its turn takes another one. */
export function finishedTurn({ previousNotes, failures = 0 }: Attempt): SubagentResult | undefined {
  const note = previousNotes.findLast((each): each is JsonObject => isTurnNote(each) && each["failures"] === failures);
  if (note === undefined) return undefined;
  const { output, sessionId, modelUsed, usage } = note as object as Recorded;
  return {
    success: true,
    output,
    sessionId: sessionId ?? undefined,
    modelUsed: modelUsed ?? undefined,
    usage: usage === null ? undefined : { ...usage, costUsd: usage.costUsd ?? undefined },
  };
}

interface Recorded {
  readonly output: string;
  readonly sessionId: string | null;
  readonly modelUsed: string | null;
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly costUsd: number | null;
  } | null;
}

function isTurnNote(note: Json): note is JsonObject {
  return typeof note === "object" && note !== null && "type" in note && note["type"] === "agent-turn";
}
