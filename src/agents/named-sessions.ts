// The sessions a run keeps by name. Opened when first used, or continued from an earlier process; cleared on demand.
// Turns of one name take place one after the other. A turn for another agent continues the conversation as that agent,
// with its instructions, tools and model: the session is opened again under its id. Where a backend can't continue a
// session, another agent's instructions come along with its turn, and an agent with other tools gets a separate session.

import type { AgentDefinition, AgentSession } from "./port.ts";
import { createSemaphore, type Semaphore } from "./semaphore.ts";

interface OpenSession {
  readonly session: AgentSession;
  readonly agent: AgentDefinition | undefined;
}

export interface SessionUser<T> {
  readonly agent: AgentDefinition | undefined;
  /** The session of an earlier attempt, which comes before what is known of the name. */
  readonly previous: string | undefined;
  open(resume: string | undefined): Promise<AgentSession>;
  /** Its turn. `instructions`: those that the session was not opened with. */
  turn(session: AgentSession, instructions: string | undefined): Promise<T>;
  /** The backend can't change the tools of a session, so this agent starts one without its memory. */
  onSeparated(): void;
}

export interface NamedSessions {
  use<T>(name: string, user: SessionUser<T>, signal: AbortSignal | undefined): Promise<T>;
  /** The open session of that name, or the one of an earlier process, continued. */
  peek(name: string, open: (resume: string) => Promise<AgentSession>): Promise<AgentSession | undefined>;
  /** Closes it; the next use starts a new one. */
  clear(name: string): Promise<void>;
  closeAll(): Promise<void>;
}

export interface NamedSessionsOptions {
  /** Ids of an earlier process, by name. */
  readonly saved: Readonly<Record<string, string>>;
  /** Whether the backend continues a session by its id. */
  readonly canResume: () => boolean;
}

export function createNamedSessions({ saved, canResume }: NamedSessionsOptions): NamedSessions {
  const sessions = new Map<string, OpenSession>();
  const ids = new Map(Object.entries(saved));
  const queues = new Map<string, Semaphore>();

  function queueOf(name: string): Semaphore {
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = createSemaphore(1);
    queues.set(name, queue);
    return queue;
  }

  async function openAs(
    key: string,
    agent: AgentDefinition | undefined,
    opening: Promise<AgentSession>,
  ): Promise<OpenSession> {
    const session = await opening;
    const entry = { session, agent };
    sessions.set(key, entry);
    ids.set(key, session.id);
    return entry;
  }

  async function sessionFor<T>(name: string, user: SessionUser<T>): Promise<OpenSession> {
    const { agent } = user;
    const known = sessions.get(name);
    if (known === undefined) return openAs(name, agent, user.open(user.previous ?? ids.get(name)));
    if (isSameAgent(known.agent, agent)) return known;
    if (canResume()) {
      sessions.delete(name);
      await known.session.close();
      return openAs(name, agent, user.open(known.session.id));
    }
    if (hasSameTools(known.agent, agent)) return known;
    const own = ownKey(name, agent);
    const separate = sessions.get(own);
    if (separate !== undefined) return separate;
    user.onSeparated();
    return openAs(own, agent, user.open(undefined));
  }

  async function close(key: string): Promise<void> {
    const entry = sessions.get(key);
    sessions.delete(key);
    await entry?.session.close();
  }

  return {
    use: (name, user, signal) =>
      queueOf(name).run(async () => {
        const { session, agent } = await sessionFor(name, user);
        const prompt = user.agent?.prompt;
        const isMissing = prompt !== undefined && prompt !== "" && agent?.prompt !== prompt;
        return user.turn(session, isMissing ? prompt : undefined);
      }, signal),
    async peek(name, open) {
      const known = sessions.get(name);
      if (known !== undefined) return known.session;
      const id = ids.get(name);
      if (id === undefined || !canResume()) return undefined;
      return queueOf(name).run(
        async () => sessions.get(name)?.session ?? (await openAs(name, undefined, open(id))).session,
      );
    },
    async clear(name) {
      const keys = [...sessions.keys(), ...ids.keys()].filter((key) => key === name || key.startsWith(ownKey(name)));
      for (const key of keys) ids.delete(key);
      await Promise.all(keys.map(close));
    },
    async closeAll() {
      await Promise.all([...sessions.keys()].map(close));
    },
  };
}

/** The model is a turn's own; a change of it needs no other session. */
function isSameAgent(a: AgentDefinition | undefined, b: AgentDefinition | undefined): boolean {
  return a?.name === b?.name && a?.prompt === b?.prompt && hasSameTools(a, b);
}

function hasSameTools(a: AgentDefinition | undefined, b: AgentDefinition | undefined): boolean {
  return JSON.stringify([a?.tools, a?.toolRules]) === JSON.stringify([b?.tools, b?.toolRules]);
}

/** No name of a session holds a NUL. */
function ownKey(name: string, agent?: AgentDefinition): string {
  return `${name}\0${agent === undefined ? "" : JSON.stringify([agent.name, agent.prompt, agent.tools, agent.toolRules])}`;
}
