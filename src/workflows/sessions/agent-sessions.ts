// The agent sessions that a run keeps by name, as its record has them: what a later process continues.

import { readSessionNote } from "../../agents/session-notes.ts";
import type { StoredEvent } from "../../journal/port.ts";

/** By the run's name of the session: its id with each kind of backend that has taken a turn of it. */
export type AgentSessions = Map<string, Map<string, string>>;

export function foldAgentSessions(sessions: AgentSessions, event: StoredEvent): void {
  if (event.type === "attempt.noted") {
    const note = readSessionNote(event["note"]);
    if (note?.session === undefined) return;
    const ids = sessions.get(note.session) ?? new Map<string, string>();
    sessions.set(note.session, ids.set(note.agent, note.id));
  }
  if (event.type === "agent.session-cleared") sessions.delete(event["session"] as string);
}

/** Those that this backend can continue. */
export function sessionsOf(sessions: AgentSessions, agent: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...sessions].flatMap(([name, ids]) => {
      const id = ids.get(agent);
      return id === undefined ? [] : [[name, id]];
    }),
  );
}
