// The agent sessions that a run keeps by name, according to its record: a later process continues them.

import { readSessionNote } from "../../agents/session-notes.ts";
import type { RunEvent } from "../../events/run-event.ts";
import { PersistentMap } from "../../lib/persistent-map.ts";

/** By the session's name in the run: its id with each kind of backend that has taken a turn in it. */
export type AgentSessions = PersistentMap<PersistentMap<string>>;

export function nextAgentSessions(sessions: AgentSessions, event: RunEvent): AgentSessions {
  if (event.type === "agent.session-cleared") return sessions.delete(event.session);
  if (event.type !== "attempt.noted") return sessions;
  const note = readSessionNote(event.note);
  if (note?.session === undefined) return sessions;
  const ids = sessions.get(note.session) ?? PersistentMap.empty<string>();
  return sessions.set(note.session, ids.set(note.agent, note.id));
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
