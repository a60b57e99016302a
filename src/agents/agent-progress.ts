// What an agent does, for readers that show or store it: the event, and where in the run it belongs.

import type { AgentEvent } from "./events.ts";

/** Where in a run a turn belongs. */
export interface TurnPlace {
  /** The node's id, and the key of its visit; undefined for a turn of no node. */
  readonly node: string | undefined;
  readonly key: string | undefined;
  /** The task it works on, by id. */
  readonly task: string | undefined;
  /** Which of the workers takes it, from 1. */
  readonly worker: number | undefined;
  /** The agent definition, or the kind of backend. */
  readonly agent: string;
  readonly backend: string;
  /** What the agent was asked. */
  readonly prompt: string;
}

export interface AgentProgress {
  /** The same object for all events of one turn. */
  readonly place: TurnPlace;
  readonly event: AgentEvent;
}
