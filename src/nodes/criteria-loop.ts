// Repeats the author's nodes until an agent says it is complete: the last line of the last output is the signal,
// exactly. A signal elsewhere in the text does not count.

import type { NodeDefinition } from "../workflows/graph/model/node.ts";
import { withOptionalId } from "../workflows/graph/nodes/node-id.ts";
import type { BaseState } from "../workflows/graph/model/state.ts";
import { loopBody, loopNode, type LoopOptions } from "./loop-body.ts";

export interface CriteriaLoopConfig<S extends BaseState> extends LoopOptions<S> {
  /** Default `criteria-loop`. */
  readonly id?: string | undefined;
  /** Default `COMPLETE`. */
  readonly completionSignal?: string | undefined;
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
  const { id = "criteria-loop", completionSignal = "COMPLETE" } = config;
  const body = loopBody("criteriaLoopNode", id, config);
  return loopNode(config, body, async (context) => {
    let state = context.state as S;
    for (let iteration = 1; ; iteration++) {
      state = await context.runSubgraph<S>(body.inner, state, { key: String(iteration) });
      const criteriaComplete = lastLine(state.outputs[body.last.id]) === completionSignal;
      const maxIterationsReached = !criteriaComplete && body.isOver(iteration, context.runtime);
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
  });
}

function lastLine(output: unknown): string | undefined {
  return typeof output === "string" ? output.trimEnd().split("\n").at(-1)?.trim() : undefined;
}
