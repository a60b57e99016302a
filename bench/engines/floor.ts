// The floor: what one would write by hand for this workload: a plain loop that awaits each node and spreads its
// update over the state. No reducers, no checks, no limits, no journal.

import type { WorkEngine, WorkState, WorkUpdate } from "./workload.ts";
import { checkLoop, checkParallel, checkRest, checkStream, contribute, initialWork, isDone, rest } from "./workload.ts";

/** The node of the loop adds up by itself what the engine's reducer adds up. */
const advanceNode = async (state: WorkState): Promise<{ count: number; total: number }> => ({
  count: state.count + 1,
  total: state.total + 1,
});

export const floor: WorkEngine = {
  chain: (length) => {
    const nodes = Array.from({ length }, (): (() => Promise<WorkUpdate | undefined>) => rest);
    return async () => {
      let state = initialWork;
      for (const node of nodes) state = { ...state, ...(await node()) };
      checkRest(state);
    };
  },
  loop: (steps) => async () => {
    let state = initialWork;
    do state = { ...state, ...(await advanceNode(state)) };
    while (!isDone(state, steps));
    checkLoop(state, steps);
  },
  stream: (steps) => async () => {
    let state = initialWork;
    let updates = 0;
    do {
      const update = await advanceNode(state);
      state = { ...state, ...update };
      updates++;
    } while (!isDone(state, steps));
    checkStream(updates, steps);
  },
  parallel: (branches) => {
    const nodes = Array.from({ length: branches }, (_, branch) => async (): Promise<WorkUpdate> => contribute(branch));
    return async () => {
      let state = initialWork;
      for (const update of await Promise.all(nodes.map((node) => node())))
        state = { ...state, items: [...state.items, ...(update.items ?? [])] };
      checkParallel(state, branches);
    };
  },
};
