// The agent's session behind a chat: opened with the first message, continued after a restart where the agent can, and
// opened as a new one where it can't. The user is notified if the agent does not remember.

import type { AgentClient, AgentDefinition, AgentSession, OpenOptions } from "../../agents/port.ts";
import type { AgentTool } from "../../agents/agent-tool.ts";
import type { TurnLimits } from "../../agents/limits.ts";
import { withKnownModel } from "../../agents/model-families.ts";
import { preferredModel } from "../../agents/preferred-model.ts";
import { AtomicError } from "../../lib/errors.ts";

export interface ChatSessionOptions {
  readonly client: AgentClient;
  readonly cwd: string;
  readonly isProjectTrusted: boolean;
  readonly limits: Partial<TurnLimits> | undefined;
  /** Offered to the agent by name, where it takes definitions of sub-agents. */
  readonly subagents: () => Promise<readonly AgentDefinition[]>;
  readonly tools: () => Promise<readonly AgentTool[]>;
  /** Of an earlier process. */
  readonly previous: string | undefined;
  readonly onOpened: (session: string, isContinued: boolean) => Promise<void>;
  readonly onForgotten: () => Promise<void>;
}

export interface ChatSessions {
  /** The session of the chat, opened where it is not. */
  main(model: string | undefined): Promise<AgentSession>;
  /** The session of the chat, if it is open or can be continued. */
  current(model: string | undefined): Promise<AgentSession | undefined>;
  /** One for a single turn of a named agent. */
  open(agent: AgentDefinition, model: string | undefined): Promise<AgentSession>;
  /** The next message starts without memory of what came before. */
  clear(): Promise<void>;
}

export function createChatSessions(options: ChatSessionOptions): ChatSessions {
  const { client } = options;
  let previous = options.previous;
  let session: AgentSession | undefined;

  async function openOptions(model: string | undefined): Promise<OpenOptions> {
    const takesTools = client.capabilities.inProcessTools === true;
    return {
      cwd: options.cwd,
      model,
      isProjectTrusted: options.isProjectTrusted,
      limits: options.limits,
      subagents: await options.subagents(),
      tools: takesTools ? await options.tools() : [],
    };
  }

  async function continued(model: string | undefined): Promise<AgentSession | undefined> {
    if (previous === undefined || client.capabilities.resume !== true) return undefined;
    try {
      return await client.open({ ...(await openOptions(model)), resume: previous });
    } catch (thrown) {
      if (AtomicError.is(thrown, "AGENT_SESSION_UNKNOWN")) return undefined;
      throw thrown;
    }
  }

  async function main(model: string | undefined): Promise<AgentSession> {
    if (session !== undefined) return session;
    const before = await continued(model);
    if (before === undefined && previous !== undefined) await options.onForgotten();
    session = before ?? (await client.open(await openOptions(model)));
    previous = session.id;
    await options.onOpened(session.id, before !== undefined);
    return session;
  }

  return {
    main,
    async current(model) {
      return session ?? (previous === undefined ? undefined : main(model));
    },
    async open(agent, model) {
      const { models, ...rest } = agent;
      const own =
        models === undefined ? withKnownModel(agent, client.kind).model : await preferredModel(models, client);
      const base = await openOptions(own ?? model);
      return client.open({ ...base, subagents: [], agent: { ...rest, model: own } });
    },
    async clear() {
      const old = session;
      session = undefined;
      previous = undefined;
      await old?.close();
    },
  };
}
