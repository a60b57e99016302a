// What a person reads when a command fails: the code, what happened, what to do; and the exit code that goes with it.

import { AtomicError, type ErrorCode } from "../lib/errors.ts";
import { safeText } from "../lib/safe-text.ts";

export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

/** Something was typed that can't be meant. */
const wrongUsage: ReadonlySet<ErrorCode> = new Set([
  ...(["USAGE", "AGENT_UNKNOWN", "RUN_ID_INVALID", "WORKFLOW_NOT_FOUND", "TASKS_DONE_EARLIER"] as const),
]);

export function failureOf(thrown: unknown): Failure {
  if (AtomicError.is(thrown)) {
    return {
      text: safeText(`atomic: ${thrown.code}: ${thrown.message}`),
      exitCode: wrongUsage.has(thrown.code) ? 2 : 1,
    };
  }
  // Nobody but us can mend this, and we need to know where it was.
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  return { text: safeText(`atomic: this should not happen, please report it.\n${stack}`), exitCode: 1 };
}
