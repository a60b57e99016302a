// What the loops of this layer have in common: the author's nodes as a graph that is run once per iteration, and the
// definition of the node around it.

import { AtomicError } from "../lib/errors.ts";
import type { CompiledGraph } from "../workflows/graph/compile/compiled-graph.ts";
import { defaultMaxIterations, loopLimitReached } from "../workflows/graph/schedule/limit-reached.ts";
import type { NodeDefinition } from "../workflows/graph/model/node.ts";
import { type CommonNodeOptions, commonOf } from "../workflows/graph/nodes/node-id.ts";
import type { Runtime } from "../workflows/graph/model/runtime.ts";
import type { BaseState } from "../workflows/graph/model/state.ts";
import { sequential } from "../workflows/graph/build/templates.ts";

export interface LoopOptions<S> extends CommonNodeOptions<S> {
  /** Run in each iteration, in order. */
  readonly taskNodes: NodeDefinition<S> | readonly NodeDefinition<S>[];
  /**
   * Reaching it ends the loop and sets `maxIterationsReached`; 0 = no limit. Without it, the run's own limit counts (100
   * by default), and reaching that pauses the run.
   */
  readonly maxIterations?: number | undefined;
}

export interface LoopBody<S extends BaseState> {
  readonly id: string;
  readonly inner: CompiledGraph<S>;
  /** The node whose output is that of an iteration. */
  readonly last: NodeDefinition<S>;
  /** True once so many iterations are done that there must be no other. Throws what pauses the run at the run's limit. */
  isOver(iterations: number, runtime: Runtime): boolean;
}

/** Throws BUILDER_MISUSE, naming the factory, when there is nothing to repeat. */
export function loopBody<S extends BaseState>(
  factory: string,
  id: string,
  config: LoopOptions<S>,
  before: readonly NodeDefinition<S>[] = [],
): LoopBody<S> {
  const nodes = [config.taskNodes].flat() as readonly NodeDefinition<S>[];
  const last = nodes.at(-1);
  if (last === undefined) throw new AtomicError("BUILDER_MISUSE", `${factory} "${id}": taskNodes is empty.`);
  const { maxIterations } = config;
  return {
    id,
    inner: sequential<S>([...before, ...nodes]).compile(),
    last,
    isOver(iterations, runtime) {
      const limit = maxIterations ?? runtime.maxIterations ?? defaultMaxIterations;
      if (limit <= 0 || iterations < limit) return false;
      if (maxIterations === undefined) throw loopLimitReached(id, limit);
      return true;
    },
  };
}

export function loopNode<S extends BaseState>(
  config: LoopOptions<S>,
  { id, inner }: LoopBody<S>,
  execute: NonNullable<NodeDefinition<S>["execute"]>,
): NodeDefinition<S> {
  const subgraph = inner as object as CompiledGraph<Record<string, unknown>>;
  return { ...commonOf(config), id, type: "tool", subgraph, execute };
}
