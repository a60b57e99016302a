// The note an attempt leaves about its agent's session, and how the next attempt reads it.

import type { Json } from "../lib/json.ts";

export function sessionNote(agent: string, session: string | undefined, id: string): Json {
  return { type: "agent-session", agent, session: session ?? null, id };
}

/** The newest session that an earlier attempt at this had with the same backend. */
export function leftSession(agent: string, session: string | undefined, notes: readonly Json[]): string | undefined {
  for (const note of notes.toReversed()) {
    if (typeof note !== "object" || note === null || !("type" in note) || note["type"] !== "agent-session") continue;
    if (note["agent"] === agent && note["session"] === (session ?? null) && typeof note["id"] === "string")
      return note["id"];
  }
  return undefined;
}
