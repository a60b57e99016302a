// The sessions a run keeps by name. Opened when first used, or continued from an earlier process; cleared on demand.

import type { AgentDefinition, AgentSession } from "./port.ts";

interface NamedSession {
  readonly session: Promise<AgentSession>;
  /** The instructions it was opened with. */
  readonly agent: string | undefined;
}

export interface NamedSessions {
  /** The session of that name, opened with `open` (given the id of an earlier process) when there is none. */
  get(
    name: string,
    definition: AgentDefinition | undefined,
    open: (saved: string | undefined) => Promise<AgentSession>,
  ): Promise<AgentSession>;
  /** Instructions that the session was not opened with, and that a turn has to bring along. */
  missing(name: string, definition: AgentDefinition | undefined): string | undefined;
  peek(name: string): Promise<AgentSession> | undefined;
  /** Closes it; the next use begins anew. */
  clear(name: string): Promise<void>;
  closeAll(): Promise<void>;
}

export function createNamedSessions(saved: Readonly<Record<string, string>>): NamedSessions {
  const open = new Map<string, NamedSession>();
  const ids = new Map(Object.entries(saved));

  async function clear(name: string): Promise<void> {
    const entry = open.get(name);
    open.delete(name);
    ids.delete(name);
    // One that could not be opened needs no closing.
    const session = await entry?.session.catch(() => undefined);
    await session?.close();
  }

  return {
    get(name, definition, openSession) {
      const existing = open.get(name);
      if (existing !== undefined) return existing.session;
      const session = openSession(ids.get(name));
      const entry = { session, agent: definition?.prompt };
      open.set(name, entry);
      // A failed start is no session: the next turn tries again.
      session.catch(() => open.get(name) === entry && open.delete(name));
      return session;
    },
    missing(name, definition) {
      const prompt = definition?.prompt;
      return prompt === undefined || prompt === "" || open.get(name)?.agent === prompt ? undefined : prompt;
    },
    peek: (name) => open.get(name)?.session,
    clear,
    async closeAll() {
      await Promise.all([...open.keys()].map(clear));
    },
  };
}
