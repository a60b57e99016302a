// Repeats the author's nodes until an agent says it is complete: the last line of the last output is the signal,
// exactly. A signal somewhere in the text is no completion.

import { AtomicError } from "../lib/errors.ts";
import type { CompiledGraph } from "../workflows/graph/compiled-graph.ts";
import type { NodeDefinition } from "../workflows/graph/node.ts";
import type { CommonNodeOptions } from "../workflows/graph/nodes/node-id.ts";
import { commonOf, withOptionalId } from "../workflows/graph/nodes/node-id.ts";
import type { BaseState } from "../workflows/graph/state.ts";
import { sequential } from "../workflows/graph/templates.ts";

export interface CriteriaLoopConfig<S extends BaseState> extends CommonNodeOptions<S> {
  /** Default `criteria-loop`. */
  readonly id?: string | undefined;
  readonly taskNodes: NodeDefinition<S> | readonly NodeDefinition<S>[];
  /** Default `COMPLETE`. */
  readonly completionSignal?: string | undefined;
  /** 0 = no limit; default 100. */
  readonly maxIterations?: number | undefined;
}

export function criteriaLoopNode<S extends BaseState>(config: CriteriaLoopConfig<S>): NodeDefinition<S>;
export function criteriaLoopNode<S extends BaseState>(
  id: string,
  options: Omit<CriteriaLoopConfig<S>, "id">,
): NodeDefinition<S>;
export function criteriaLoopNode<S extends BaseState>(
  first: CriteriaLoopConfig<S> | string,
  options?: Omit<CriteriaLoopConfig<S>, "id">,
): NodeDefinition<S> {
  const config = withOptionalId<CriteriaLoopConfig<S>>("criteriaLoopNode", first, options);
  const { id = "criteria-loop", completionSignal = "COMPLETE", maxIterations = 100 } = config;
  const body = [config.taskNodes].flat() as readonly NodeDefinition<S>[];
  const last = body[body.length - 1];
  if (last === undefined) throw new AtomicError("BUILDER_MISUSE", `criteriaLoopNode "${id}": taskNodes is empty.`);
  const inner = sequential<S>(body).compile();
  return {
    ...commonOf(config),
    id,
    type: "tool",
    subgraph: inner as object as CompiledGraph<Record<string, unknown>>,
    execute: async (context) => {
      let state = context.state as S;
      for (let iteration = 1; ; iteration++) {
        state = await context.runSubgraph<S>(inner, state, { key: String(iteration) });
        const criteriaComplete = lastLine(state.outputs[last.id]) === completionSignal;
        const maxIterationsReached = !criteriaComplete && maxIterations > 0 && iteration >= maxIterations;
        if (!criteriaComplete && !maxIterationsReached) continue;
        const ended = {
          ...state,
          iteration,
          shouldContinue: false,
          criteriaComplete,
          ...(maxIterationsReached ? { maxIterationsReached } : {}),
        };
        return { stateUpdate: ended };
      }
    },
  };
}

function lastLine(output: unknown): string | undefined {
  return typeof output === "string" ? output.trimEnd().split("\n").at(-1)?.trim() : undefined;
}
