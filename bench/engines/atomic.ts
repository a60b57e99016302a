// The workloads as an author writes them for Atomic.

import { annotation, createNode, executeGraph, graph, Reducers, StreamRouter } from "../../src/public/graph.ts";
import type { CompiledGraph } from "../../src/public/graph.ts";
import type { WorkEngine } from "./workload.ts";
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

const annotations = {
  count: annotation<number>(0),
  total: annotation<number>(0, Reducers.sum),
  items: annotation<number[]>([], Reducers.concat),
};

type State = { executionId: string; outputs: Record<string, unknown>; count: number; total: number; items: number[] };

export const atomic: WorkEngine = {
  chain: (length) => {
    const builder = graph(annotations).start(createNode<State>({ id: "node-0", execute: rest }));
    for (let i = 1; i < length; i++) builder.then(createNode<State>({ id: `node-${i}`, execute: rest }));
    const compiled = builder.compile();
    return async () => checkRest(await finalState(compiled));
  },
  loop: (steps) => {
    const compiled = loopGraph(steps);
    return async () => checkLoop(await finalState(compiled), steps);
  },
  stream: (steps) => {
    const router = new StreamRouter(loopGraph(steps));
    return async () => {
      let updates = 0;
      for await (const event of router.stream("updates"))
        if (event.mode === "updates") updates += event.update.total ?? 0;
      checkStream(updates, steps);
    };
  },
  parallel: (branches) => {
    const nodes = Array.from({ length: branches }, (_, branch) =>
      createNode<State>({ id: `branch-${branch}`, execute: async () => ({ stateUpdate: contribute(branch) }) }),
    );
    const compiled = graph(annotations)
      .start(createNode<State>({ id: "start", execute: rest }))
      .parallel({ id: "all", branches: nodes, strategy: "all", concurrency: branches })
      .compile({ maxSteps: 0 });
    return async () => checkParallel(await finalState(compiled), branches);
  },
};

export function loopGraph(steps: number): CompiledGraph<State> {
  return graph(annotations)
    .start(createNode<State>({ id: "start", execute: rest }))
    .loop(createNode<State>({ id: "advance", execute: async ({ state }) => ({ stateUpdate: advance(state) }) }), {
      until: (state) => isDone(state, steps),
      maxIterations: 0,
    })
    .compile({ maxSteps: 0 });
}

async function finalState(compiled: CompiledGraph<State>): Promise<State> {
  const { status, state, error } = await executeGraph(compiled, { initialState: { ...initialWork, items: [] } });
  if (status !== "completed") throw error ?? new Error(`The run ended as ${status}.`);
  return state;
}
