// Branches run at the same time. Each sees the state at the fork and what it did itself, never what its neighbours do.
// Where they meet, their updates are folded in the order you declared them, whatever finished first: the same inputs
// always give the same state.

import { annotation, createNode, executeGraph, graph, mapNode, Reducers, toolNode } from "atomic/workflows/graph";

const annotations = { report: annotation<string[]>([], Reducers.concat) };

/** Stands for work that takes a while. */
const check = (id: string, takesMs: number) =>
  createNode<{ report: string[] }>({
    id,
    execute: async ({ runtime, signal }) => {
      await runtime.clock.sleep(takesMs, signal);
      console.log(`finished: ${id}`);
      return { stateUpdate: { report: [`${id} is fine`] } };
    },
  });

const verify = graph(annotations)
  .start(createNode({ id: "checkout", execute: () => {} }))
  .parallel({
    // A branch is a node, a list of nodes, or a whole graph. At most `concurrency` run at once; 16 by default.
    branches: { lint: check("lint", 60), types: check("types", 10), tests: check("tests", 30) },
    concurrency: 3,
  })
  .compile();
console.log((await verify.execute()).report.join(", "));

// The first to finish wins, and the others are stopped.
const fastest = graph(annotations)
  .start(createNode({ id: "ask", execute: () => {} }))
  .parallel({ strategy: "race", branches: [check("mirror-a", 5000), check("mirror-b", 5)] })
  .compile();
console.log((await executeGraph(fastest)).state.report.join(", "));

// One node for each item of a list.
const lengths = graph()
  .start(
    mapNode({
      id: "lengths",
      items: () => ["tea", "coffee", "water"],
      node: toolNode({ id: "length", execute: ({ item }) => (item as string).length }),
    }),
  )
  .compile();
console.log((await lengths.execute()).outputs["lengths"]);
