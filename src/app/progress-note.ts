// What happens while nodes work: shown, never stored, without a number. What agents do keeps its type all the way.

import type { AgentEvent } from "../agents/events.ts";
import type { Json } from "../lib/json.ts";

/** Something that an agent did, and where in the run. */
export interface AgentNote {
  readonly from: "agent";
  readonly type: AgentEvent["type"];
  readonly node: string | undefined;
  /** The node's visit. */
  readonly key: string | undefined;
  /** The task it works on, by id. */
  readonly task: string | undefined;
  /** Which of the workers takes the turn, from 1. */
  readonly worker: number | undefined;
  readonly data: AgentEvent;
}

/** What a node handed to `ctx.progress`. */
export interface NodeNote {
  readonly from: "node";
  readonly type: string;
  readonly node: string;
  readonly key: string;
  readonly data: Json;
}

export type ProgressNote = AgentNote | NodeNote;
