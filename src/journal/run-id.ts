// What may name a run in a store. The layers above demand UUIDs; here a name only has to be safe as the name of a
// folder on every system: no separators, no `..`, no leading dash.

import { AtomicError } from "../lib/errors.ts";

const pattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Returns the id, or throws before anything is touched. */
export function parseRunId(run: unknown): string {
  if (typeof run === "string" && pattern.test(run) && !run.includes("..")) return run;
  const shown = typeof run === "string" ? JSON.stringify(run.slice(0, 140)) : String(run);
  throw new AtomicError(
    "RUN_ID_INVALID",
    `${shown} can't be the id of a run. An id starts with a letter or digit and has up to 128 letters, digits, ` +
      `".", "_" or "-", without "..".`,
  );
}
