// A node that spawns a named sub-agent through the runtime's bridge. Its answer lands in `outputs[id]`.

import { AtomicError } from "../../../lib/errors.ts";
import type { SubagentResult, WorkflowBridge } from "../model/bridge.ts";
import { isAgentType } from "../model/agent-type.ts";
import { roundOf } from "../model/key.ts";
import type { ExecutionContext, NodeDefinition } from "../model/node.ts";
import type { ReturnedUpdate } from "../model/state.ts";
import type { CommonNodeOptions } from "./node-id.ts";
import { commonOf, withId } from "./node-id.ts";
import { intoOutputs } from "./tool.ts";

export interface SubagentNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  /** The name of an agent definition. */
  readonly agent?: string | undefined;
  /**
   * The type of agent that takes the turn (`claude`, `opencode`, `copilot`, …). Any other word is a synonym of
   * `agent`.
   */
  readonly agentType?: string | undefined;
  /** What it is to do; `instruction` is a synonym. */
  readonly task?: string | ((state: Readonly<S>) => string) | undefined;
  readonly instruction?: string | ((state: Readonly<S>) => string) | undefined;
  readonly model?: string | undefined;
  /** The work tree to work in, by name: see `ctx.worktree`. Default: the run's folder. */
  readonly worktree?: string | ((state: Readonly<S>) => string) | undefined;
  readonly outputMapper?: ((result: SubagentResult, state: Readonly<S>) => ReturnedUpdate<S>) | undefined;
}

export function subagentNode<S extends object, const Id extends string = string>(
  config: SubagentNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function subagentNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<SubagentNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function subagentNode<S extends object, const Id extends string = string>(
  first: SubagentNodeConfig<S, Id> | Id,
  options?: Omit<SubagentNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<SubagentNodeConfig<S, Id>>("subagentNode", first, options);
  const { id, model, outputMapper } = config;
  const { agent, agentType } = chooseAgent(config);
  const task = config.task ?? config.instruction;
  const who = agent ?? agentType;
  if (typeof who !== "string" || task === undefined)
    throw new AtomicError("BUILDER_MISUSE", `subagentNode "${id}": needs \`agent\` (a name) and \`task\`.`);
  return {
    ...commonOf(config),
    id,
    type: "agent",
    ...(model === undefined ? {} : { model }),
    execute: async (context) => {
      const text = typeof task === "function" ? task(context.state) : task;
      const cwd = await worktreeFolder(context, config.worktree);
      const result = await bridgeOf(context).spawn(
        { agent, agentType, task: text, model, cwd, iteration: roundOf(context.key), context, isOnlyTurn: true },
        context.signal,
      );
      if (!result.success)
        throw new AtomicError("NODE_FAILED", `Sub-agent "${who}" failed: ${result.error ?? "it gave no reason"}`);
      return {
        stateUpdate:
          outputMapper === undefined ? intoOutputs<S>(id, result.output) : outputMapper(result, context.state),
      };
    },
  };
}

/** Undefined where the node works in the run's folder. */
export async function worktreeFolder<S>(
  context: ExecutionContext<S>,
  name: string | ((state: Readonly<S>) => string) | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  return (await context.worktree(typeof name === "function" ? name(context.state) : name)).folder;
}

/** Which definition takes the turn, and which type of agent. */
function chooseAgent<S>({ agent, agentType }: Pick<SubagentNodeConfig<S>, "agent" | "agentType">) {
  const isType = agentType !== undefined && (agent !== undefined || isAgentType(agentType));
  return isType ? { agent, agentType } : { agent: agent ?? agentType, agentType: undefined };
}

export function bridgeOf<S>(context: ExecutionContext<S>): WorkflowBridge {
  const { agents } = context.runtime;
  if (agents === undefined) {
    throw new AtomicError(
      "RUNTIME_MISSING",
      `Node "${context.node}" needs an agent, and this run was started without one. Pass a \`client\`, call setClientProvider(), or start it with \`atomic run\`.`,
    );
  }
  return agents;
}
