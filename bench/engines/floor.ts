// The floor: what a person would write by hand for this very workload, with the same node bodies and the engine's own
// reducers, and nothing else. It awaits each node and copies the state per update; no checks, no limits, no journal.

import { Reducers } from "../../src/public/graph.ts";
import type { WorkEngine, WorkState, WorkUpdate } from "./workload.ts";
import {
  advance,
  checkLoop,
  checkParallel,
  checkRest,
  checkStream,
  contribute,
  initialWork,
  isDone,
  rest,
} from "./workload.ts";

type AnyReducer = (current: unknown, update: unknown) => unknown;

const reducers = new Map<string, AnyReducer>([
  ["total", Reducers.sum as AnyReducer],
  ["items", Reducers.concat as AnyReducer],
]);

const advanceNode = async (state: WorkState): Promise<WorkUpdate> => advance(state);

function merge(state: WorkState, update: WorkUpdate | undefined): WorkState {
  const next: Record<string, unknown> = { ...state };
  if (update !== undefined) {
    for (const key of Object.keys(update)) {
      const reducer = reducers.get(key);
      const value = update[key as keyof WorkUpdate];
      next[key] = reducer === undefined ? value : reducer(state[key as keyof WorkState], value);
    }
  }
  return next as Record<keyof WorkState, never>;
}

async function* loopUpdates(steps: number): AsyncGenerator<WorkUpdate> {
  let state = initialWork;
  do {
    const update = await advanceNode(state);
    state = merge(state, update);
    yield update;
  } while (!isDone(state, steps));
  checkLoop(state, steps);
}

export const floor: WorkEngine = {
  chain: (length) => {
    const nodes = Array.from({ length }, () => rest);
    return async () => {
      let state = initialWork;
      for (const node of nodes) state = merge(state, await node());
      checkRest(state);
    };
  },
  loop: (steps) => async () => {
    let state = initialWork;
    do state = merge(state, await advanceNode(state));
    while (!isDone(state, steps));
    checkLoop(state, steps);
  },
  stream: (steps) => async () => {
    let updates = 0;
    for await (const update of loopUpdates(steps)) updates += update.total ?? 0;
    checkStream(updates, steps);
  },
  parallel: (branches) => {
    const nodes = Array.from({ length: branches }, (_, branch) => async (): Promise<WorkUpdate> => contribute(branch));
    return async () => {
      const updates = await Promise.all(nodes.map((node) => node()));
      checkParallel(updates.reduce<WorkState>(merge, initialWork), branches);
    };
  },
};
