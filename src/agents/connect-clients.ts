// Agents for a run of the library: the clients that a program brings, behind one bridge. What a program says once for all
// its graphs (`setClientProvider`) and what it hands to one run (`executeGraph({ client })`) both end here.

import { AtomicError } from "../lib/errors.ts";
import type {
  AgentClientRef,
  AgentConnection,
  ClientSource,
  ConnectingRun,
  RunBridge,
} from "../workflows/graph/model/agent-source.ts";
import type { EntitySource } from "../workflows/graph/model/entities.ts";
import type { OfferedAgent } from "./offered-agents.ts";
import type { AgentClient, AgentDefinition } from "./port.ts";
import { createRoutedBridge } from "./routed-bridge.ts";
import { createWorkflowBridge } from "./workflow-bridge.ts";

const defaultAgentType = "claude";

export function connectClients({ source, options }: AgentConnection, run: ConnectingRun): RunBridge {
  const { cwd = process.cwd(), agentType = defaultAgentType, model, isProjectTrusted, concurrency } = options;
  return createRoutedBridge({
    preferred: async () => (typeof source === "function" ? [await clientOf(source, agentType)] : clientList(source)),
    clientOf: (type) => clientOf(source, type),
    connect: (client, isFirst) =>
      createWorkflowBridge({
        client,
        cwd,
        // A model belongs to the agent it was named for.
        model: isFirst ? model : undefined,
        isProjectTrusted,
        concurrency,
        agent: (name) => definitionOf(run.entities, name),
        subagents: offeredOf(run.entities, isProjectTrusted === true),
        clock: run.clock,
      }),
    clock: run.clock,
  });
}

async function clientOf(source: ClientSource, agentType: string): Promise<AgentClient> {
  const found =
    typeof source === "function"
      ? await source(agentType)
      : clientList(source).find(({ kind }) => kind.toLowerCase() === agentType.toLowerCase());
  if (found !== undefined && found !== null) return asClient(found);
  throw new AtomicError(
    "RUNTIME_MISSING",
    `There is no client for the agent type "${agentType}". Return one from the function given to setClientProvider(), or pass it to executeGraph() as \`client\`.`,
    { details: { agentType } },
  );
}

export function clientList(
  source: Exclude<ClientSource, (...args: never) => unknown>,
): readonly [AgentClient, ...AgentClient[]] {
  const [first, ...others]: readonly AgentClientRef[] = "kind" in source ? [source] : source;
  if (first !== undefined) return [asClient(first), ...others.map(asClient)];
  throw new AtomicError("RUNTIME_MISSING", "The list of agent clients is empty. Pass at least one client.");
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
  const { capabilities } = value as Partial<AgentClient>;
  return typeof capabilities === "object" && typeof value.open === "function";
}

export function offeredOf(entities: EntitySource | undefined, isProjectTrusted: boolean): readonly OfferedAgent[] {
  const all = entities?.agents?.() ?? [];
  const offered = isProjectTrusted ? all : all.filter(({ location }) => location !== "project");
  return offered.map(({ location, ...definition }) => ({ ...definition, isBuiltin: location === "builtin" }));
}

function definitionOf(entities: EntitySource | undefined, name: string): AgentDefinition {
  if (entities !== undefined) return entities.agent(name);
  throw new AtomicError(
    "RUNTIME_MISSING",
    `The agent "${name}" is looked up by its name, and nothing is registered. Call initializeWorkflowsSDK(), or pass runtime.entities.`,
  );
}
