// What the engine and the nodes get from the layers above, passed in as one value. The engine never reads a global:
// agents, entities, tools and workflows by name all come from here, each as the narrowest interface that is sufficient.

import type { Clock } from "../../../lib/clock.ts";
import { systemClock } from "../../../lib/clock.ts";
import type { Json } from "../../../lib/json.ts";
import type { JournalStore } from "../../../journal/port.ts";
import type { AgentConnection, ConnectAgents } from "./agent-source.ts";
import type { WorkflowBridge } from "./bridge.ts";
import type { EntitySource } from "./entities.ts";
import type { CompiledSubgraph } from "./compiled-subgraph.ts";
import type { WorktreeSource } from "./worktree.ts";

export interface Runtime {
  readonly clock: Clock;
  readonly ids: { next(): string };
  readonly agents?: WorkflowBridge | undefined;
  /** Clients to create `agents` from when a run starts without one. */
  readonly clients?: AgentConnection | undefined;
  /** Creates a bridge from clients. Set by the library's entries for Bun, Node and Deno. */
  readonly connect?: ConnectAgents | undefined;
  readonly entities?: EntitySource | undefined;
  readonly workflows?: WorkflowResolver | undefined;
  readonly tools?: ToolSource | undefined;
  /** Folders for parts of the work. */
  readonly worktrees?: WorktreeSource | undefined;
  /** Iterations of loops that set no limit themselves; 0 = no limit; default 100. Reaching it pauses the run. */
  readonly maxIterations?: number | undefined;
  /** Where runs of a graph compiled with `checkpointing` are recorded, by folder. */
  readonly checkpoints?: ((dir: string | undefined) => JournalStore | Promise<JournalStore>) | undefined;
  /** What the run was started with, for the first state of workflows inside it. */
  readonly startedWith?: Readonly<Record<string, unknown>> | undefined;
  /** Applied to every string before it reaches the state or the journal; masks secrets. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Freeze arrays of the state too, so that a node that changes one in place fails. Tests set it; it is slow. */
  readonly isStrict?: boolean | undefined;
}

/** Workflows by name: `null` if there is none. */
export type WorkflowResolver = (name: string) => CompiledSubgraph | null | Promise<CompiledSubgraph | null>;

export interface Tool {
  readonly name: string;
  readonly description: string;
  execute(input: Json, context: ToolContext): unknown;
}

export interface ToolContext {
  readonly signal: AbortSignal;
}

export interface ToolSource {
  /** Throws with a suggestion if the name is unknown. */
  tool(name: string): Tool;
}

export function createRuntime(parts: Partial<Runtime> = {}): Runtime {
  return Object.freeze({ clock: systemClock, ids: Object.freeze({ next: () => crypto.randomUUID() }), ...parts });
}
