// Clients that a program brings: one, several in order, or a function that knows them by the type of agent. What is not
// a client is refused here, not in the middle of a turn.

import { AtomicError } from "../lib/errors.ts";
import type { AgentClientRef, ClientSource } from "../workflows/graph/model/client-source.ts";
import type { AgentClient } from "./port.ts";

/** What a function is asked for where no type is named. */
export const defaultAgentType = "claude";

/** The client of that type. Throws when the source has none. */
export async function clientOf(source: ClientSource, agentType: string): Promise<AgentClient> {
  const found =
    typeof source === "function"
      ? await source(agentType)
      : clientList(source).find(({ kind }) => kind.toLowerCase() === agentType.toLowerCase());
  if (found !== undefined && found !== null) return asClient(found);
  throw new AtomicError(
    "RUNTIME_MISSING",
    `There is no client for the agent type "${agentType}". Return one from the node's \`clientProvider\` or from the function given to setClientProvider(), or pass it to executeGraph() as \`client\`.`,
    { details: { agentType } },
  );
}

export function clientList(
  source: Exclude<ClientSource, (...args: never) => unknown>,
): readonly [AgentClient, ...AgentClient[]] {
  const [first, ...others]: readonly AgentClientRef[] = isList(source) ? source : [source];
  if (first !== undefined) return [asClient(first), ...others.map(asClient)];
  throw new AtomicError("RUNTIME_MISSING", "The list of agent clients is empty. Pass at least one client.");
}

function isList(source: AgentClientRef | readonly AgentClientRef[]): source is readonly AgentClientRef[] {
  return Array.isArray(source);
}

/** A program may pass anything: a value that is not a client is refused here, not in the middle of a turn. */
function asClient(value: AgentClientRef): AgentClient {
  if (isClient(value)) return value;
  throw new AtomicError(
    "BUILDER_MISUSE",
    "That is not an agent client. Make one with createClaudeClient(), createOpencodeClient(), createCopilotClient(), createAcpClient() or createScriptedClient() of atomic/agents.",
  );
}

function isClient(value: AgentClientRef): value is AgentClient {
  if (typeof value !== "object" || value === null) return false;
  const { capabilities } = value as Partial<AgentClient>;
  return typeof capabilities === "object" && typeof value.open === "function";
}
