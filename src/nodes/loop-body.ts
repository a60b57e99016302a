// What the loops of this layer have in common: the author's nodes as a graph that is run once per iteration, and the
// definition of the node around it.

import { AtomicError } from "../lib/errors.ts";
import type { CompiledGraph } from "../workflows/graph/compiled-graph.ts";
import type { NodeDefinition } from "../workflows/graph/node.ts";
import { type CommonNodeOptions, commonOf } from "../workflows/graph/nodes/node-id.ts";
import type { BaseState } from "../workflows/graph/state.ts";
import { sequential } from "../workflows/graph/templates.ts";

export interface LoopOptions<S> extends CommonNodeOptions<S> {
  /** Run in each iteration, in order. */
  readonly taskNodes: NodeDefinition<S> | readonly NodeDefinition<S>[];
  /** 0 = no limit; default 100. */
  readonly maxIterations?: number | undefined;
}

export interface LoopBody<S extends BaseState> {
  readonly id: string;
  readonly inner: CompiledGraph<S>;
  /** The node whose output is that of an iteration. */
  readonly last: NodeDefinition<S>;
  /** True once so many iterations are done that there must be no other. */
  isOver(iterations: number): boolean;
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
  const { maxIterations = 100 } = config;
  return {
    id,
    inner: sequential<S>([...before, ...nodes]).compile(),
    last,
    isOver: (iterations) => maxIterations > 0 && iterations >= maxIterations,
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
