// The agent sessions that a run keeps by name, as its record has them: what a later process continues.

import { readSessionNote } from "../../agents/session-notes.ts";
import type { StoredEvent } from "../../journal/port.ts";

/** By the run's name of the session, with the kind of backend that knows its id. */
export type AgentSessions = Map<string, { readonly agent: string; readonly id: string }>;

export function foldAgentSessions(sessions: AgentSessions, event: StoredEvent): void {
  if (event.type === "attempt.noted") {
    const note = readSessionNote(event["note"]);
    if (note?.session !== undefined) sessions.set(note.session, { agent: note.agent, id: note.id });
  }
  if (event.type === "agent.session-cleared") sessions.delete(event["session"] as string);
}

/** Those that this backend can continue. */
export function sessionsOf(sessions: AgentSessions, agent: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...sessions].flatMap(([name, each]) => (each.agent === agent ? [[name, each.id]] : [])));
}
