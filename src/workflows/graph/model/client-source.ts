// Clients of the agent port, as far as the engine knows them: that they are clients, and of which type of agent.

/** What the engine sees of an `AgentClient` (`atomic/agents`). */
export interface AgentClientRef {
  readonly kind: string;
  readonly label: string;
  open(options: never): Promise<unknown>;
  close(): Promise<void>;
}

/** A client for a type of agent (`claude`, `opencode`, …); `null` if there is none. */
export type ClientProvider = (
  agentType: string,
) => AgentClientRef | null | undefined | Promise<AgentClientRef | null | undefined>;

/** One client, several in order of preference, or a function that knows them by type. */
export type ClientSource = AgentClientRef | readonly AgentClientRef[] | ClientProvider;
