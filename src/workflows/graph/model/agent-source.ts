// Where a run's agents come from when the caller brings clients of the agent port instead of a bridge. The engine
// treats a client as an opaque value; `connect` turns clients into a bridge, which the layer
// above provides (src/workflows/agent-defaults.ts). The bridge is closed with the run; clients stay open and belong to
// the caller.

import type { Clock } from "../../../lib/clock.ts";
import type { WorkflowBridge } from "./bridge.ts";
import type { ClientSource } from "./client-source.ts";
import type { EntitySource } from "./entities.ts";

/** How the turns of a run are taken. */
export interface AgentRunOptions {
  /** The folder the agents work in; default: the current one. */
  readonly cwd?: string | undefined;
  /** Used where neither the node nor its agent names a model. */
  readonly model?: string | undefined;
  /** What a client provider is asked for when a node names no `agentType`; default `claude`. */
  readonly agentType?: string | undefined;
  /** Whether the agents load the project's own settings, hooks and instruction files; default false. */
  readonly isProjectTrusted?: boolean | undefined;
  /** How many turns run at the same time; default 4. */
  readonly concurrency?: number | undefined;
}

/** A bridge for one run. */
export interface RunBridge extends WorkflowBridge {
  /** Closes the run's sessions. */
  close(): Promise<void>;
}

export interface AgentConnection {
  readonly source: ClientSource;
  readonly options: AgentRunOptions;
}

/** What a bridge takes from the run it is created for. */
export interface ConnectingRun {
  readonly clock: Clock;
  readonly entities: EntitySource | undefined;
}

export type ConnectAgents = (connection: AgentConnection, run: ConnectingRun) => RunBridge | Promise<RunBridge>;

export function isBridge(source: WorkflowBridge | ClientSource): source is WorkflowBridge {
  return typeof source === "object" && "spawn" in source;
}
