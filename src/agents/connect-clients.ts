// Agents for a run of the library: the clients that a program brings, behind one bridge. What a program says once for all
// its graphs (`setClientProvider`) and what it hands to one run (`executeGraph({ client })`) both end here.

import { AtomicError } from "../lib/errors.ts";
import type { AgentConnection, ConnectingRun, RunBridge } from "../workflows/graph/model/agent-source.ts";
import type { EntitySource } from "../workflows/graph/model/entities.ts";
import { clientList, clientOf, defaultAgentType } from "./client-source.ts";
import type { OfferedAgent } from "./offered-agents.ts";
import type { AgentDefinition } from "./port.ts";
import { createRoutedBridge } from "./routed-bridge.ts";
import { createWorkflowBridge } from "./workflow-bridge.ts";

export function connectClients({ source, options }: AgentConnection, run: ConnectingRun): RunBridge {
  const { cwd = process.cwd(), agentType = defaultAgentType, model, isProjectTrusted, concurrency } = options;
  return createRoutedBridge({
    preferred: async () => (typeof source === "function" ? [await clientOf(source, agentType)] : clientList(source)),
    clientOf: (type) => clientOf(source, type),
    connect: (client, isOfFirstKind) =>
      createWorkflowBridge({
        client,
        cwd,
        // A model belongs to the agent it was named for.
        model: isOfFirstKind ? model : undefined,
        isProjectTrusted,
        concurrency,
        agent: (name) => definitionOf(run.entities, name),
        subagents: offeredOf(run.entities, isProjectTrusted === true),
        clock: run.clock,
      }),
    clock: run.clock,
  });
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
