// Branches in parallel, as an author writes them: flat, nested, and as items of a list. Every leaf adds one entry, and
// the result is checked, so that nothing can be quick by leaving something out.

import type { CompiledGraph, NodeDefinition, Reducer } from "../../src/public/graph.ts";
import {
  annotation,
  createNode,
  executeGraph,
  graph,
  mapNode,
  parallelNode,
  Reducers,
} from "../../src/public/graph.ts";
import type { Work } from "./workload.ts";
import { rest } from "./workload.ts";

/** An entry of the list that the leaves write to. */
export interface Entry {
  readonly id: number;
  readonly value: number;
}

export interface EntryState {
  executionId: string;
  outputs: Record<string, unknown>;
  items: Entry[];
}

/** The ways in which a list of entries may grow. */
export const entryReducers: Readonly<Record<"concat" | "own" | "called" | "mergeById", Reducer<Entry[]>>> = {
  concat: Reducers.concat,
  /** Recognized by its text, and folded in one pass. */
  own: (current, update) => [...current, ...update],
  /** Says more than the engine can read, so it is called for each update, and copies the list each time. */
  called: (current, update) => current.concat(update.filter(({ value }) => value >= 0)),
  mergeById: Reducers.mergeById,
};

export function entry(id: number): Entry {
  return { id, value: id };
}

function leaf(place: number): NodeDefinition<EntryState> {
  return createNode<EntryState>({
    id: `leaf-${place}`,
    execute: async () => ({ stateUpdate: { items: [entry(place)] } }),
  });
}

/** `count` branches of one parallel node. */
export function flatBranches(count: number, reducer: Reducer<Entry[]> = Reducers.concat): Work {
  const branches = Array.from({ length: count }, (_, place) => leaf(place));
  return runAndCheck(
    parallelNode<EntryState>({ id: "all", branches, strategy: "all", concurrency: count }),
    count,
    reducer,
  );
}

/** Parallel nodes inside parallel nodes: `width` branches each, `levels` deep. */
export function nestedBranches(width: number, levels: number): Work {
  let leaves = 0;
  const level = (depth: number, id: string): NodeDefinition<EntryState> => {
    if (depth === levels) return leaf(leaves++);
    const branches = Array.from({ length: width }, (_, place) => level(depth + 1, `${id}-${place}`));
    return parallelNode<EntryState>({ id, branches, strategy: "all", concurrency: width });
  };
  return runAndCheck(level(0, "fork"), leaves, Reducers.concat);
}

/** One node run for each of `count` items of a list. */
export function mappedItems(count: number): Work {
  const list = Array.from({ length: count }, (_, place) => place);
  const compiled = graph<EntryState>()
    .start(createNode<EntryState>({ id: "start", execute: rest }))
    .then(
      mapNode<EntryState>({
        id: "each",
        items: () => list,
        node: createNode({
          id: "one",
          execute: async ({ state }) => ({ stateUpdate: { outputs: { one: entry(state.itemIndex) } } }),
        }),
        concurrency: count,
        outputMapper: (results) => ({ items: results as never }),
      }),
    )
    .compile({ maxSteps: 0 });
  return async () => checkEntries(await finalItems(compiled), count);
}

/** A loop that adds one entry in each of `steps` rounds. */
export function growingLoop(steps: number, reducer: Reducer<Entry[]>): Work {
  const compiled = graph({ items: annotation<Entry[]>(() => [], reducer) })
    .start(createNode<EntryState>({ id: "start", execute: rest }))
    .loop(
      createNode<EntryState>({
        id: "add",
        execute: async ({ state }) => ({ stateUpdate: { items: [entry(state.items.length)] } }),
      }),
      { until: (state) => state.items.length >= steps, maxIterations: 0 },
    )
    .compile({ maxSteps: 0 });
  return async () => checkEntries(await finalItems(compiled), steps);
}

function runAndCheck(node: NodeDefinition<EntryState>, count: number, reducer: Reducer<Entry[]>): Work {
  const compiled = graph({ items: annotation<Entry[]>(() => [], reducer) })
    .start(createNode<EntryState>({ id: "start", execute: rest }))
    .then(node)
    .compile({ maxSteps: 0 });
  return async () => checkEntries(await finalItems(compiled), count);
}

async function finalItems(compiled: CompiledGraph<EntryState>): Promise<readonly Entry[]> {
  const { status, state, error } = await executeGraph(compiled, { initialState: { items: [] } });
  if (status !== "completed") throw error ?? new Error(`The run ended as ${status}.`);
  return state.items;
}

function checkEntries(items: readonly Entry[], count: number): void {
  if (items.length !== count || !items.every((item, place) => item.id === place && item.value === place))
    throw new Error(`${count} entries were added, and the list of ${items.length} does not hold them in order.`);
}
