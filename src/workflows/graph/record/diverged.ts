// The error for a record that no longer matches the workflow.

import { AtomicError } from "../../../lib/errors.ts";

export function divergedAt(key: string): AtomicError {
  return new AtomicError(
    "JOURNAL_DIVERGED",
    `The record holds the outcome of "${key}", but the workflow no longer reaches this node: a condition, a reducer or a mapper gives another result than when it was recorded. Put the old code back to resume this run, or start a new one.`,
    { details: { key } },
  );
}
