// The note an attempt leaves about its agent's session, and how the next attempt, or the next process, reads it.

import type { Json } from "../lib/json.ts";

export interface SessionNote {
  /** The backend's kind. */
  readonly agent: string;
  /** The run's name of the session; undefined for a session of one turn. */
  readonly session: string | undefined;
  readonly id: string;
}

export function sessionNote(agent: string, session: string | undefined, id: string): Json {
  return { type: "agent-session", agent, session: session ?? null, id };
}

/** Undefined for notes about something else. */
export function readSessionNote(note: Json | undefined): SessionNote | undefined {
  if (typeof note !== "object" || note === null || !("type" in note) || note["type"] !== "agent-session")
    return undefined;
  const { agent, session, id } = note;
  if (typeof agent !== "string" || typeof id !== "string") return undefined;
  return { agent, session: typeof session === "string" ? session : undefined, id };
}

/** The newest session that an earlier attempt at this had with the same backend. */
export function previousSession(
  agent: string,
  session: string | undefined,
  notes: readonly Json[],
): string | undefined {
  const found = notes.map(readSessionNote).findLast((note) => note?.agent === agent && note.session === session);
  return found?.id;
}
