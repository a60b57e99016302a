// Errors about the record itself, not about the work: nothing can be added to it, and the run stays as it was last
// stored. No retry and no handler of a node is asked: there is nothing wrong with the node.

import { endSentence } from "../../../lib/end-sentence.ts";
import { AtomicError, type ErrorCode, messageOf } from "../../../lib/errors.ts";

const codes: readonly ErrorCode[] = [
  "JOURNAL_WRITE_FAILED",
  "OWNER_LOST",
  "JOURNAL_DIVERGED",
  "JOURNAL_CORRUPT",
  "GRAPH_CHANGED",
  "STATE_VERSION",
];

export function isUnrecordable(thrown: unknown): thrown is AtomicError {
  return codes.some((code) => AtomicError.is(thrown, code));
}

/** What the workflow's own functions threw at what was recorded. */
export function whileReplaying(thrown: unknown): unknown {
  if (isUnrecordable(thrown)) return thrown;
  return new AtomicError(
    "JOURNAL_DIVERGED",
    `What was recorded can't be replayed: ${endSentence(messageOf(thrown))} Nothing was run. Restore the code that the run was recorded with, or fix it, and resume again; or start a new run.`,
    { cause: thrown },
  );
}
