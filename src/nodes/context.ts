// Nodes that manage the context of a session of the run: clear it, or watch how full it is.

import { AtomicError } from "../lib/errors.ts";
import type { ExecutionContext, NodeDefinition, NodeResult } from "../workflows/graph/model/node.ts";
import type { CommonNodeOptions } from "../workflows/graph/nodes/node-id.ts";
import { commonOf, withId } from "../workflows/graph/nodes/node-id.ts";
import { bridgeOf } from "../workflows/graph/nodes/subagent.ts";
import { intoOutputs } from "../workflows/graph/nodes/tool.ts";
import { mainSession } from "./agent.ts";

export interface ClearContextNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  /** Default `main`. */
  readonly session?: string | undefined;
}

export function clearContextNode<S extends object, const Id extends string = string>(
  first: ClearContextNodeConfig<S, Id> | Id,
  options?: Omit<ClearContextNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<ClearContextNodeConfig<S, Id>>("clearContextNode", first, options);
  const { id, session = mainSession } = config;
  return {
    ...commonOf(config),
    id,
    type: "tool",
    execute: async (context) => {
      await startAfresh(context, session);
    },
  };
}

/** On record too: a later process must not continue what was cleared. */
async function startAfresh<S>(context: ExecutionContext<S>, session: string): Promise<void> {
  await bridgeOf(context).clearSession(session);
  context.record({ type: "agent.session-cleared", session });
}

export interface ContextMonitorNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  /** How full the context may be before something is done: a share from 0 to 1. */
  readonly threshold: number;
  readonly action: "compact" | "clear" | "none";
  /** Default `main`. */
  readonly session?: string | undefined;
}

/** Puts `{ usedTokens, maxTokens, share, action }` into `outputs[id]`; null if the backend does not report it. */
export function contextMonitorNode<S extends object, const Id extends string = string>(
  first: ContextMonitorNodeConfig<S, Id> | Id,
  options?: Omit<ContextMonitorNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<ContextMonitorNodeConfig<S, Id>>("contextMonitorNode", first, options);
  const { id, threshold, action, session = mainSession } = config;
  if (!(typeof threshold === "number" && threshold > 0 && threshold <= 1)) {
    throw new AtomicError(
      "BUILDER_MISUSE",
      `contextMonitorNode "${id}": threshold is a share above 0 and up to 1, such as 0.8.`,
    );
  }
  if (!["compact", "clear", "none"].includes(action)) {
    throw new AtomicError("BUILDER_MISUSE", `contextMonitorNode "${id}": action is one of compact, clear, none.`);
  }
  return {
    ...commonOf(config),
    id,
    type: "tool",
    execute: async (context): Promise<NodeResult<S>> => {
      const bridge = bridgeOf(context);
      const usage = await bridge.contextUsage(session);
      if (usage === undefined) return { stateUpdate: intoOutputs<S>(id, null) };
      const share = usage.maxTokens === 0 ? 0 : usage.usedTokens / usage.maxTokens;
      const isFull = share >= threshold;
      if (isFull && action === "compact") await bridge.compactSession(session);
      if (isFull && action === "clear") await startAfresh(context, session);
      return { stateUpdate: intoOutputs<S>(id, { ...usage, share, action: isFull ? action : "none" }) };
    },
  };
}
