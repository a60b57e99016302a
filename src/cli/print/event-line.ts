// One event as one line of a log, with the number that `atomic resume --from` takes.

import { localTime } from "../../lib/local-time.ts";
import type { StoredEvent } from "../../journal/port.ts";
import type { Json } from "../../lib/json.ts";
import { safeLine } from "../../lib/safe-text.ts";

/** Already expressed in other words, or too long for a line. */
const left: ReadonlySet<string> = new Set([
  "seq",
  "at",
  "type",
  "state",
  "shape",
  "descriptions",
  "capabilities",
  "key",
]);

/** Most runs have fewer than ten thousand events. */
const seqWidth = 4;

export function eventLine(event: StoredEvent): string {
  const facts = Object.entries(event).flatMap(([name, value]) =>
    left.has(name) || value === null || value === undefined ? [] : [`${name}=${short(value)}`],
  );
  return `${String(event.seq).padStart(seqWidth)}  ${localTime(event.at)}  ${event.type}  ${facts.join(" ")}`.trimEnd();
}

function short(value: Json): string {
  return safeLine(typeof value === "string" ? value : JSON.stringify(value), 120);
}
