// Several named sub-agents at the same time, with a limit. Their answers land in `outputs[id]`, in the order declared.

import { AtomicError } from "../lib/errors.ts";
import type { SubagentResult } from "../workflows/graph/model/bridge.ts";
import { roundOf } from "../workflows/graph/model/key.ts";
import type { NodeDefinition } from "../workflows/graph/model/node.ts";
import type { CommonNodeOptions } from "../workflows/graph/nodes/node-id.ts";
import { commonOf, withId } from "../workflows/graph/nodes/node-id.ts";
import { bridgeOf } from "../workflows/graph/nodes/subagent.ts";
import { intoOutputs } from "../workflows/graph/nodes/tool.ts";
import type { ReturnedUpdate } from "../workflows/graph/model/state.ts";
import type { PromptSource } from "./agent-turn.ts";
import { partContext } from "./part-context.ts";
import { promptText, turnFailed } from "./agent-turn.ts";

export interface ParallelSubagent<S> {
  readonly agent: string;
  /** The type of agent that takes the turn; default: the run's own. */
  readonly agentType?: string | undefined;
  readonly task: PromptSource<S>;
  readonly model?: string | undefined;
}

export interface ParallelSubagentNodeConfig<S, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  readonly agents: readonly ParallelSubagent<S>[] | ((state: Readonly<S>) => readonly ParallelSubagent<S>[]);
  /** Gets every result, failed ones too. Without it one failure fails the node. */
  readonly merge?: ((results: readonly SubagentResult[], state: Readonly<S>) => ReturnedUpdate<S>) | undefined;
  /** Sub-agents at the same time; default 4. */
  readonly concurrency?: number | undefined;
}

const defaultConcurrency = 4;

export function parallelSubagentNode<S extends object, const Id extends string = string>(
  config: ParallelSubagentNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function parallelSubagentNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<ParallelSubagentNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function parallelSubagentNode<S extends object, const Id extends string = string>(
  first: ParallelSubagentNodeConfig<S, Id> | Id,
  options?: Omit<ParallelSubagentNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<ParallelSubagentNodeConfig<S, Id>>("parallelSubagentNode", first, options);
  const { id, agents, merge, concurrency = defaultConcurrency } = config;
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new AtomicError(
      "BUILDER_MISUSE",
      `parallelSubagentNode "${id}": concurrency must be a whole number of at least 1.`,
    );
  }
  return {
    ...commonOf(config),
    id,
    type: "agent",
    execute: async (context) => {
      const list = typeof agents === "function" ? agents(context.state) : agents;
      const results = await inOrder(list, concurrency, async (each, place) => {
        const part = `${place + 1} ${each.agent}`;
        const stored = await context.step(part, async () => {
          const task = promptText(each.task, context.state);
          const spawned = await bridgeOf(context).spawn(
            {
              agent: each.agent,
              agentType: each.agentType,
              task,
              model: each.model,
              iteration: roundOf(context.key),
              context: partContext(context, part),
              isOnlyTurn: true,
            },
            context.signal,
          );
          const { success, output, error, sessionId, modelUsed } = spawned;
          // A failed turn is not recorded: the next try of the node takes it again, unless the author merges failures.
          if (!success && merge === undefined) throw turnFailed(each.agent, spawned);
          return { success, output, error: error ?? null, sessionId: sessionId ?? null, modelUsed: modelUsed ?? null };
        });
        return fromStored(stored);
      });
      const outputs = results.map((result) => result.output);
      return { stateUpdate: merge === undefined ? intoOutputs<S>(id, outputs) : merge(results, context.state) };
    },
  };
}

function fromStored(stored: {
  success: boolean;
  output: string;
  error: string | null;
  sessionId: string | null;
  modelUsed: string | null;
}): SubagentResult {
  const { success, output, error, sessionId, modelUsed } = stored;
  return {
    success,
    output,
    error: error ?? undefined,
    sessionId: sessionId ?? undefined,
    modelUsed: modelUsed ?? undefined,
  };
}

/** At most this many at once; results in the order of the list. */
async function inOrder<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T, place: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const place = next++;
      results[place] = await work(items[place] as T, place);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return results;
}
