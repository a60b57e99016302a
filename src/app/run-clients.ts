// The agents of one run: those of its order of preference, made when it starts, and those that a node names by type,
// made when they are first asked for. All are closed together.

import type { AgentClient } from "../agents/port.ts";
import type { RunAgents } from "../workflows/run-agents.ts";
import { parseAgentKind, type AgentSpec, type MakeAgent } from "./agents.ts";

/** A run's configuration of its agents. */
export interface RunAgentSpec extends Omit<AgentSpec, "processesDir" | "memoryDir" | "sandbox"> {
  /** The agents that take over when the ones before are out, in this order. */
  readonly others?: readonly string[] | undefined;
}

export interface RunClients {
  readonly agents: RunAgents;
  close(): Promise<void>;
}

export async function createRunClients(
  { others = [], ...first }: RunAgentSpec,
  host: Pick<AgentSpec, "processesDir" | "memoryDir" | "sandbox">,
  make: MakeAgent,
): Promise<RunClients> {
  const made = new Map<string, Promise<AgentClient>>();

  function clientOf(kind: string): Promise<AgentClient> {
    const known = made.get(kind);
    if (known !== undefined) return known;
    const client = make({ ...first, ...host, kind });
    made.set(kind, client);
    return client;
  }

  async function close(): Promise<void> {
    // A client that could not be made needs no close; its caller got the error.
    const clients = await Promise.allSettled(made.values());
    await Promise.all(clients.flatMap((each) => (each.status === "fulfilled" ? [each.value.close()] : [])));
  }

  try {
    const preferred = [await clientOf(first.kind), ...(await Promise.all(others.map(clientOf)))] as const;
    return { agents: { preferred, clientOf: async (agentType) => clientOf(parseAgentKind(agentType)) }, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}
