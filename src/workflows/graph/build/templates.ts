// Common workflow patterns as builders, to extend or to compile as they are.

import { AtomicError } from "../../../lib/errors.ts";
import type { Json } from "../../../lib/json.ts";
import type { GraphBuilder } from "./builder.ts";
import { graph } from "./builder.ts";
import type { NodeDefinition } from "../model/node.ts";
import type { MapItem } from "../nodes/map.ts";
import { mapNode } from "../nodes/map.ts";
import type { BaseState } from "../model/state.ts";

/** One node after the other. */
export function sequential<S extends object = BaseState>(nodes: readonly NodeDefinition<S>[]): GraphBuilder<S> {
  const [first, ...rest] = nodes;
  if (first === undefined) throw new AtomicError("BUILDER_MISUSE", "sequential(): needs at least one node.");
  return rest.reduce((builder, node) => builder.then(node), graph<S>().start(first));
}

export interface MapReduceConfig<S extends object> {
  /** Produces the list; default: its output is the list. */
  readonly splitter: NodeDefinition<S>;
  /** Runs once per item, which it finds in `state.item`. */
  readonly worker: NodeDefinition<S & MapItem>;
  /** Runs once, with the list of results in `outputs[worker.id]`. */
  readonly merger: NodeDefinition<S>;
  readonly items?: ((state: Readonly<S>) => readonly Json[]) | undefined;
  readonly concurrency?: number | undefined;
}

/** Splits the work, runs all parts in parallel, and combines the results. */
export function mapReduce<S extends object = BaseState>(config: MapReduceConfig<S>): GraphBuilder<S> {
  const { splitter, worker, merger, concurrency } = config;
  const items =
    config.items ?? ((state) => (state as { outputs?: Record<string, readonly Json[]> }).outputs?.[splitter.id] ?? []);
  return graph<S>()
    .start(splitter)
    .then(
      mapNode<S>({
        id: `${worker.id}-map`,
        node: worker,
        items,
        concurrency,
        outputMapper: (results) => ({ outputs: { [worker.id]: results } }) as object,
      }),
    )
    .then(merger);
}

export interface ReviewCycleConfig<S extends object> {
  readonly executor: NodeDefinition<S>;
  readonly reviewer: NodeDefinition<S>;
  /** Runs only when the review did not satisfy `until`. */
  readonly fixer: NodeDefinition<S>;
  readonly until: (state: Readonly<S>) => boolean;
  readonly maxIterations?: number | undefined;
}

/** Executes once, then reviews and fixes until the review passes. */
export function reviewCycle<S extends object = BaseState>(config: ReviewCycleConfig<S>): GraphBuilder<S> {
  const { executor, reviewer, fixer, until, maxIterations } = config;
  if (fixer.parallel !== undefined) {
    throw new AtomicError("BUILDER_MISUSE", "reviewCycle(): put a fixer that is parallel into a subgraph.");
  }
  const fixIfNeeded: NodeDefinition<S> = {
    ...fixer,
    execute: (context) => (until(context.state) ? undefined : fixer.execute?.(context)),
  };
  return graph<S>().start(executor).loop([reviewer, fixIfNeeded], { until, maxIterations });
}

export interface TaskLoopTemplateConfig<S extends object> {
  /** Puts tasks into the state. */
  readonly decomposer: NodeDefinition<S>;
  readonly worker: NodeDefinition<S>;
  readonly reviewer?: NodeDefinition<S> | undefined;
  /** Default: no task in `state.tasks` is pending or in progress. */
  readonly until?: ((state: Readonly<S>) => boolean) | undefined;
  readonly maxIterations?: number | undefined;
}

/** Plans, then works until nothing is left to do; does no work if the plan is empty. */
export function taskLoop<S extends object = BaseState>(config: TaskLoopTemplateConfig<S>): GraphBuilder<S> {
  const { decomposer, worker, reviewer, until = hasNoOpenTask, maxIterations } = config;
  return graph<S>()
    .start(decomposer)
    .if((state) => !until(state))
    .loop(reviewer === undefined ? [worker] : [worker, reviewer], { until, maxIterations })
    .endif();
}

function hasNoOpenTask(state: object): boolean {
  const { tasks } = state as { tasks?: readonly { status?: unknown }[] };
  return (tasks ?? []).every((task) => task.status !== "pending" && task.status !== "in_progress");
}
