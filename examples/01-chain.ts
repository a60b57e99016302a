// A graph is nodes that hand a state on. Here: three of them, one after the other.
//
// - A node gets the state, and says what changes. It never writes to the state itself.
// - `outputMapper` says where a result goes; without one it lands in `state.outputs`, under the node's id.

import { type BaseState, graph, toolNode } from "atomic/workflows/graph";

interface Note extends BaseState {
  title: string;
  body: string;
}

const write = graph<Note>()
  .start(
    toolNode({
      id: "draft",
      execute: (state) => `${state.title}: water, leaves, patience.`,
      outputMapper: (body) => ({ body }),
    }),
  )
  .then(
    toolNode({
      id: "shorten",
      execute: (state) => state.body.replace(", patience", ""),
      outputMapper: (body) => ({ body }),
    }),
  )
  .then(toolNode({ id: "count", execute: (state) => state.body.split(" ").length }))
  .compile();

// The state it starts with may be a part of it.
const state = await write.execute({ title: "Tea" });

console.log(state.body);
console.log(`${String(state.outputs["count"])} words`);
