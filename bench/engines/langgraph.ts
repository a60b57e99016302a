// The workloads as its documentation writes them for LangGraph.js, with no checkpointer.

import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
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
} from "./workload.ts";

const State = Annotation.Root({
  count: Annotation<number>,
  total: Annotation<number>({ reducer: (current, update) => current + update, default: () => 0 }),
  items: Annotation<readonly number[]>({ reducer: (current, update) => current.concat(update), default: () => [] }),
});

const input = { ...initialWork };

export const langgraph: WorkEngine = {
  chain: (length) => {
    const builder = new StateGraph(State);
    const name = (i: number): typeof START => `node-${i}` as typeof START;
    for (let i = 0; i < length; i++) builder.addNode(name(i), async () => ({}));
    builder.addEdge(START, name(0));
    for (let i = 1; i < length; i++) builder.addEdge(name(i - 1), name(i));
    const compiled = builder.compile();
    return async () => checkRest(await compiled.invoke(input, { recursionLimit: length + 10 }));
  },
  loop: (steps) => {
    const compiled = loopGraph(steps);
    return async () => checkLoop(await compiled.invoke(input, { recursionLimit: steps + 10 }), steps);
  },
  stream: (steps) => {
    const compiled = loopGraph(steps);
    return async () => {
      let updates = 0;
      const stream = await compiled.stream(input, { recursionLimit: steps + 10, streamMode: "updates" });
      for await (const chunk of stream) updates += chunk.advance?.total ?? 0;
      checkStream(updates, steps);
    };
  },
  parallel: (branches) => {
    const builder = new StateGraph(State);
    for (let branch = 0; branch < branches; branch++) {
      // Updates are folded in the order of the names.
      const name = `branch-${String(branch).padStart(6, "0")}` as typeof START;
      builder.addNode(name, async () => contribute(branch));
      builder.addEdge(START, name);
    }
    const compiled = builder.compile();
    return async () => checkParallel(await compiled.invoke(input, { recursionLimit: 10 }), branches);
  },
};

function loopGraph(steps: number) {
  return new StateGraph(State)
    .addNode("advance", async (state) => advance(state))
    .addEdge(START, "advance")
    .addConditionalEdges("advance", (state) => (isDone(state, steps) ? END : "advance"))
    .compile();
}
