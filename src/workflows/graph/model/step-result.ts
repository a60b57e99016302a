// What a stream yields: one entry per finished visit of a node.

import type { NodeId } from "./node.ts";
import type { StateUpdate } from "./state.ts";

/** What a finished visit changed. */
export interface StepUpdate<S> {
  readonly nodeId: NodeId;
  /** The state as this branch sees it, after the node. */
  readonly state: Readonly<S>;
  readonly update: StateUpdate<S>;
}

export interface StepResult<S> extends StepUpdate<S> {
  readonly key: string;
  readonly visit: number;
  readonly status: "completed" | "recovered";
  /** Set when the node failed and the failure was handled. */
  readonly error?: { readonly message: string; readonly code?: string | undefined } | undefined;
  /** True for a step that was recorded before and is not run again. */
  readonly isReplayed: boolean;
}
