// A node that runs another node once per item of a list, several at the same time. Each item is a separate graph run
// inside this visit, so a crash redoes only the items that were not finished.

import { AtomicError } from "../../../lib/errors.ts";
import { isPromise } from "../../../lib/is-promise.ts";
import type { Json } from "../../../lib/json.ts";
import { compileGraph } from "../compile/compile.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { inheritState } from "../model/inherited-state.ts";
import type { ExecutionContext, NodeDefinition, NodeResult } from "../model/node.ts";
import { runToState } from "../run/run-to-state.ts";
import type { ReturnedUpdate } from "../model/state.ts";
import type { CommonNodeOptions } from "./node-id.ts";
import { commonOf, withId } from "./node-id.ts";
import { intoOutputs } from "./tool.ts";

/** What the mapped node sees besides the state. */
export interface MapItem {
  readonly item: Json;
  readonly itemIndex: number;
}

export interface MapNodeConfig<S extends object, Id extends string = string> extends CommonNodeOptions<S> {
  readonly id: Id;
  readonly items: (state: Readonly<S>) => readonly Json[];
  /**
   * Runs for each item; finds it in `state.item` and its place in `state.itemIndex`. Its updates stay with the item:
   * what `collect` does not read is refused, and never lost silently.
   */
  readonly node: NodeDefinition<NoInfer<S> & MapItem>;
  /** Items at the same time; default 16. */
  readonly concurrency?: number | undefined;
  /** The result of one item; default `outputs[node.id]`. */
  readonly collect?: ((state: Readonly<S & MapItem>) => Json) | undefined;
  /** Gets the results in the order of the items; default: stored in `outputs[id]`. */
  readonly outputMapper?: ((results: readonly Json[], state: Readonly<S>) => ReturnedUpdate<S>) | undefined;
}

export function mapNode<S extends object, const Id extends string = string>(
  config: MapNodeConfig<S, Id>,
): NodeDefinition<S, Id>;
export function mapNode<S extends object, const Id extends string = string>(
  id: Id,
  options: Omit<MapNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id>;
export function mapNode<S extends object, const Id extends string = string>(
  first: MapNodeConfig<S, Id> | Id,
  options?: Omit<MapNodeConfig<S, Id>, "id">,
): NodeDefinition<S, Id> {
  const config = withId<MapNodeConfig<S, Id>>("mapNode", first, options);
  const { id, items, node, concurrency = 16, outputMapper } = config;
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new AtomicError("BUILDER_MISUSE", `mapNode "${id}": concurrency must be a whole number of at least 1.`);
  if (typeof items !== "function" || typeof node !== "object" || node === null) {
    throw new AtomicError("BUILDER_MISUSE", `mapNode "${id}": needs \`items\` (a function of the state) and \`node\`.`);
  }
  const mapped = config.collect === undefined ? refusingLostUpdates(node, id, node.id) : node;
  const inner = compileGraph<S & MapItem>(
    { nodes: [mapped], edges: [], startNode: node.id, annotations: undefined, config: {} },
    runToState,
  );
  const collect =
    config.collect ?? ((state) => (state as { outputs?: Record<string, Json> }).outputs?.[node.id] ?? null);
  return {
    ...commonOf(config),
    id,
    type: "parallel",
    subgraph: inner as object as CompiledGraph<Record<string, unknown>>,
    execute: async (context) => {
      const list = items(context.state);
      if (!Array.isArray(list)) throw new AtomicError("NOT_JSON", `mapNode "${id}": \`items\` must return a list.`);
      const results = await runAll(list, inner, context, concurrency, collect);
      return {
        stateUpdate: outputMapper === undefined ? intoOutputs<S>(id, results) : outputMapper(results, context.state),
      };
    },
  };
}

/**
 * Without a `collect`, the only result of an item is `outputs[node.id]`. Items run in parallel on the state as it was,
 * so nothing else that they change could become part of it; a node that does so fails.
 */
function refusingLostUpdates<S>(node: NodeDefinition<S>, map: string, collected: string): NodeDefinition<S> {
  const { execute, onError, parallel } = node;
  const check = (update: unknown): void => refuseLostUpdate(update, map, node.id, collected);
  const checked = <T extends NodeResult<S> | void>(result: T): T => {
    check(result?.stateUpdate);
    return result;
  };
  return {
    ...node,
    ...(execute !== undefined && {
      execute: (context) => {
        const returned = execute(context);
        if (isPromise(returned)) return returned.then(checked);
        return checked(returned);
      },
    }),
    ...(typeof onError === "function" && {
      onError: async (error, context) => {
        const action = await onError(error, context);
        check("stateUpdate" in action ? action.stateUpdate : undefined);
        return action;
      },
    }),
    ...(parallel !== undefined && {
      parallel: {
        ...parallel,
        branches: parallel.branches.map(({ name, nodes }) => ({
          name,
          nodes: typeof nodes === "string" ? nodes : nodes.map((inside) => refusingLostUpdates(inside, map, collected)),
        })),
      },
    }),
  };
}

/** Nothing but `outputs[collected]`. */
function isCollected(update: { outputs?: unknown }, collected: string): boolean {
  for (const key in update) if (key !== "outputs") return false;
  const { outputs } = update;
  if (typeof outputs !== "object" || outputs === null) return true;
  for (const key in outputs) if (key !== collected) return false;
  return true;
}

function refuseLostUpdate(update: unknown, map: string, node: string, collected: string): void {
  if (typeof update !== "object" || update === null || isCollected(update, collected)) return;
  const { outputs, ...others } = update as { outputs?: unknown };
  const keys = Object.keys(others).map((key) => `"${key}"`);
  if (typeof outputs === "object" && outputs !== null)
    keys.push(...Object.keys(outputs).flatMap((key) => (key === collected ? [] : [`"outputs.${key}"`])));
  if (keys.length === 0) return;
  throw new AtomicError(
    "BUILDER_MISUSE",
    `Node "${node}" changes ${keys.join(", ")} for one item of mapNode "${map}", and such a change would be lost: items run in parallel, each on its own copy of the state. Return it in outputs["${collected}"], or give the map a \`collect\` that reads it and an \`outputMapper\` that puts it into the state.`,
    { details: { node, map } },
  );
}

async function runAll<S extends object>(
  items: readonly Json[],
  inner: CompiledGraph<S & MapItem>,
  context: ExecutionContext<S>,
  concurrency: number,
  collect: (state: Readonly<S & MapItem>) => Json,
): Promise<Json[]> {
  const results: Json[] = [];
  const { runSubgraph, state } = context;
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) {
      const itemIndex = next++;
      // Started in the order of the items, whichever finishes first: the order of starts decides the keys in the
      // record.
      const own: MapItem = { item: items[itemIndex] as Json, itemIndex };
      results[itemIndex] = collect(await runSubgraph(inner, inheritState(state, own)));
    }
  };
  const { signal } = context;
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, work);
  try {
    await Promise.all(workers);
  } catch (thrown) {
    // The run stops: each item ends, and is recorded, before this node gives up.
    if (signal.aborted) await Promise.allSettled(workers);
    throw thrown;
  }
  return results;
}
