// What to type next when a store refuses a run. Stores know no commands: they say what happened, and this adds how to
// continue from the command line.

import type { AtomicError } from "../lib/errors.ts";
import { safeLine } from "../lib/safe-text.ts";

/** A sentence to print after the message; undefined when there is nothing to add. */
export function runAdvice({ code, details }: AtomicError): string | undefined {
  if (code === "STORE_NOT_PREPARED") return "`atomic db prepare` makes them.";
  const run = typeof details["run"] === "string" ? safeLine(details["run"], 140) : undefined;
  if (run === undefined) return undefined;
  switch (code) {
    case "RUN_NOT_FOUND":
      return details["where"] === undefined ? undefined : "`atomic sessions` lists the runs that exist.";
    case "RUN_EXISTS":
      return `Resume it with \`atomic resume ${run}\`.`;
    case "RUN_OWNED":
      return details["isKnownAlive"] === false
        ? `Pause it with \`atomic pause ${run}\`, or take it over with \`atomic resume ${run} --take-over\`.`
        : `Pause it with \`atomic pause ${run}\`.`;
    case "OWNER_LOST":
      return `\`atomic sessions show ${run}\` shows where it runs now.`;
    case "JOURNAL_CORRUPT":
      return `Remove it with \`atomic sessions rm ${run}\`.`;
    default:
      return undefined;
  }
}
