// Build a graph with the builder or as data, and run it.

import {
  type BaseState,
  CompiledGraph,
  compileGraphConfig,
  fingerprintOf,
  graph,
  GraphBuilder,
  toolNode,
} from "atomic/workflows";

interface State extends BaseState {
  count: number;
}

const add = (id: string, n: number) =>
  toolNode<State, number>({
    id,
    execute: ({ count }) => count + n,
    outputMapper: (count) => ({ count }),
  });

const builder = graph<State>().start(add("one", 1)).then(add("two", 2));
console.log(builder instanceof GraphBuilder);

const compiled = builder.compile({ name: "add" });
console.log((await compiled.execute({ count: 0 })).count);

// The same graph as data.
const same = compileGraphConfig<State>({
  nodes: [add("one", 1), add("two", 2)],
  edges: [{ from: "one", to: "two" }],
  startNode: "one",
});
console.log(CompiledGraph.is(same), (await same.execute({ count: 0 })).count);

// A recorded run can only be resumed by a graph with the same fingerprint: ids, edges, state keys.
console.log(fingerprintOf(same) === fingerprintOf(compiled));
