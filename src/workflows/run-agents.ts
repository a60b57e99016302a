// The agents of a run, and how turns are routed to them: by order of preference, skipping those that are out, or by the
// type that a node names.

import type { AgentProgress } from "../agents/agent-progress.ts";
import type { AgentTool } from "../agents/agent-tool.ts";
import type { TurnLimits } from "../agents/limits.ts";
import type { OfferedAgent } from "../agents/offered-agents.ts";
import { type Outage, Outages } from "../agents/outages.ts";
import type { AgentClient, AgentDefinition } from "../agents/port.ts";
import { createRoutedBridge } from "../agents/routed-bridge.ts";
import { type AgentWorkflowBridge, createWorkflowBridge } from "../agents/workflow-bridge.ts";
import type { Clock } from "../lib/clock.ts";
import { AtomicError } from "../lib/errors.ts";
import { recordedUntil } from "./limits/recorded-until.ts";
import { sessionsOf } from "./sessions/agent-sessions.ts";
import type { SessionView } from "./sessions/session-view.ts";

export interface RunAgents {
  /** In order of preference. */
  readonly preferred: readonly [AgentClient, ...AgentClient[]];
  /** The client of a type that a node names; absent: only those of the order. */
  readonly clientOf?: ((agentType: string) => Promise<AgentClient>) | undefined;
}

export interface ConnectAgentsOptions {
  readonly agents: RunAgents;
  /** What the run's record knows: sessions to continue, agents that are out, titles of tasks. */
  readonly view: SessionView;
  readonly cwd: string;
  readonly model: string | undefined;
  readonly isProjectTrusted: boolean;
  readonly agent: (name: string) => AgentDefinition;
  readonly subagents: readonly OfferedAgent[] | undefined;
  readonly tools: readonly AgentTool[] | undefined;
  readonly limits: Partial<TurnLimits> | undefined;
  readonly clock: Clock;
  readonly onAgentEvent?: ((progress: AgentProgress) => void) | undefined;
}

/** The run's own limits hold turns back; this one only keeps a workflow from starting hundreds of programs. */
const turnsAtOnce = 64;

export function connectAgents({ agents, view, model, ...options }: ConnectAgentsOptions): AgentWorkflowBridge {
  const { preferred, clientOf = (agentType) => clientIn(preferred, agentType) } = agents;
  return createRoutedBridge({
    preferred: async () => preferred,
    clientOf,
    connect: (client, isOfFirstKind) =>
      createWorkflowBridge({
        ...options,
        client,
        // A model belongs to the agent that it was named for.
        model: isOfFirstKind ? model : undefined,
        concurrency: turnsAtOnce,
        taskTitle: (id) => view.tasks.get(id)?.title ?? id,
        sessions: sessionsOf(view.agentSessions, client.kind),
      }),
    clock: options.clock,
    outages: new Outages(knownOutages(view, options.clock.now())),
  });
}

function knownOutages({ outages, updatedAt }: SessionView, now: number): readonly (readonly [string, Outage])[] {
  return [...outages].flatMap(([agent, outage]) => {
    const { until } = outage;
    // One without an end applies to one process only: a user may have logged in meanwhile.
    return until === undefined ? [] : [[agent, { ...outage, until: recordedUntil(until, updatedAt, now) }] as const];
  });
}

/** What to show as the agent of the run: `Claude, then OpenCode`. */
export function agentLabel({ preferred }: RunAgents): string {
  return preferred.map(({ label }) => label).join(", then ");
}

async function clientIn(clients: readonly AgentClient[], agentType: string): Promise<AgentClient> {
  const found = clients.find(({ kind }) => kind.toLowerCase() === agentType.toLowerCase());
  if (found !== undefined) return found;
  throw new AtomicError(
    "RUNTIME_MISSING",
    `A node asks for the agent type "${agentType}", which this run does not have.`,
  );
}
