// One turn of an agent on behalf of a node: what agentNode, skillNode and commandNode have in common.

import { AtomicError } from "../lib/errors.ts";
import type { ClientProvider } from "../workflows/graph/model/client-source.ts";
import type { SubagentResult, SubagentSpawnOptions, WorkflowBridge } from "../workflows/graph/model/bridge.ts";
import { roundOf } from "../workflows/graph/model/key.ts";
import type { ExecutionContext, NodeResult } from "../workflows/graph/model/node.ts";
import { bridgeOf } from "../workflows/graph/nodes/subagent.ts";
import { intoOutputs } from "../workflows/graph/nodes/tool.ts";
import type { ReturnedUpdate } from "../workflows/graph/model/state.ts";

export type AgentOutputMapper<S> = (result: SubagentResult, state: Readonly<S>) => ReturnedUpdate<S>;

/** Takes the turn; its answer lands in `outputs[id]` unless a mapper says otherwise. Throws when the turn fails. */
export async function takeTurn<S>(
  context: ExecutionContext<S>,
  options: Omit<SubagentSpawnOptions, "context" | "iteration">,
  mapper: AgentOutputMapper<S> | undefined,
): Promise<NodeResult<S>> {
  const call = { ...options, iteration: roundOf(context.key), context, isOnlyTurn: true };
  const result = await withBridge(context, options.clientProvider, (bridge) => bridge.spawn(call, context.signal));
  if (!result.success) throw turnFailed(options.agent, result);
  return {
    stateUpdate: mapper === undefined ? intoOutputs<S>(context.node, result.output) : mapper(result, context.state),
  };
}

/** A run without agents of its own takes the turn of a node that brings one. */
async function withBridge<S, T>(
  context: ExecutionContext<S>,
  source: ClientProvider | undefined,
  take: (bridge: WorkflowBridge) => Promise<T>,
): Promise<T> {
  const { agents, connect, clock, entities } = context.runtime;
  if (agents !== undefined || connect === undefined || source === undefined) return take(bridgeOf(context));
  const bridge = await connect({ source, options: {} }, { clock, entities });
  try {
    return await take(bridge);
  } finally {
    await bridge.close();
  }
}

export function turnFailed(agent: string | undefined, result: SubagentResult): AtomicError {
  const { failure } = result;
  const who = agent === undefined ? "The agent's turn" : `The turn of agent "${agent}"`;
  return new AtomicError("AGENT_TURN_FAILED", `${who} failed: ${result.error ?? "it gave no reason"}`, {
    retryable: failure?.retryable ?? false,
    details: failure === undefined ? {} : { ...failure },
  });
}

/** A prompt that is a text, or made from the state. */
export type PromptSource<S> = string | ((state: Readonly<S>) => string);

export function promptText<S>(source: PromptSource<S>, state: Readonly<S>): string {
  return typeof source === "function" ? source(state) : source;
}
