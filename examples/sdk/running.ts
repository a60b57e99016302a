// Run, watch, pause, resume and cancel a graph.

import {
  annotation,
  cancelRun,
  createNode,
  executeGraph,
  graph,
  MemorySaver,
  pauseWith,
  readEvent,
  Reducers,
  streamGraph,
  StreamRouter,
} from "atomic/workflows";

const add = (id: string, n: number) =>
  createNode<{ total: number }>({
    id,
    execute: ({ emit }) => {
      emit("number.added", { n });
      return { stateUpdate: { total: n } };
    },
  });
const sum = graph({ total: annotation(0, Reducers.sum) })
  .start(add("one", 1))
  .then(add("two", 2))
  .compile();

// Node by node.
for await (const { nodeId, state } of streamGraph(sum)) console.log(nodeId, state.total);

// Only what you ask for: values, updates, custom, debug or all.
for await (const event of new StreamRouter(sum).stream("custom")) {
  if (event.mode === "custom") console.log(event.type, event.data);
}

// Recorded, paused by a signal, resumed.
const store = new MemorySaver();
const stop = new AbortController();
const paused = await executeGraph(sum, {
  journal: { store, run: "sum" },
  signal: stop.signal,
  onStep: () => stop.abort(pauseWith("paused")),
});
console.log(paused.status, paused.reason, paused.state.total);
const resumed = await executeGraph(sum, { journal: { store, run: "sum", resume: true } });
console.log(resumed.status, resumed.state.total);

// The record: events of one union, from every part that writes them.
const types: string[] = [];
for await (const stored of store.read("sum")) types.push(readEvent(stored).type);
console.log(types.join(" "));

console.log(await cancelRun(store, "sum")); // it was completed: nothing is changed
