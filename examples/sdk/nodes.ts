// Nodes that need no agent.

import {
  annotation,
  type BaseState,
  createDecisionNode,
  createNode,
  createRuntime,
  customToolNode,
  decisionNode,
  executeGraph,
  graph,
  mapNode,
  parallelNode,
  Reducers,
  subgraphNode,
  toolNode,
} from "atomic/workflows";

interface State extends BaseState {
  log: string[];
}
const annotations = { log: annotation<string[]>([], Reducers.concat) };
const note = (id: string) => createNode<State>({ id, execute: () => ({ stateUpdate: { log: [id] } }) });

// A node with full access: `ctx.step` records a part of its work, so that a crash does not repeat it.
const download = createNode<State>({
  id: "download",
  retry: { maxAttempts: 3, backoffMs: 10 },
  timeoutMs: 60_000,
  execute: async ({ step }) => {
    const size = await step("fetch", () => 42);
    return { stateUpdate: { log: [`downloaded ${size} bytes`] } };
  },
});

const inner = graph({ text: annotation("") })
  .start(toolNode({ id: "shout", execute: ({ text }) => text.toUpperCase(), outputMapper: (text) => ({ text }) }))
  .compile();

const compiled = graph(annotations)
  .start(download)
  .then(parallelNode({ id: "both", branches: { left: note("left"), right: note("right") }, concurrency: 2 }))
  .then(
    mapNode({
      id: "sizes",
      items: () => ["tea", "milk"],
      node: toolNode({ id: "size", execute: ({ item }) => (item as string).length }),
    }),
  )
  .then(
    subgraphNode({
      id: "inner",
      subgraph: inner,
      inputMapper: ({ log }) => ({ text: log[0] ?? "" }),
      outputMapper: ({ text }) => ({ log: [text] }),
    }),
  )
  .then(customToolNode({ id: "clock", tool: "time", args: { zone: "UTC" } }))
  .then(
    decisionNode({
      id: "enough",
      routes: [{ condition: ({ log }) => log.length > 3, target: "last" }],
      fallback: "more",
    }),
  )
  .then(note("more"))
  .then(createDecisionNode("again", [{ condition: () => false, target: "more" }], "last"))
  .then(note("last"))
  .compile();

const tools = {
  tool: (name: string) => ({ name, description: "", execute: (input: unknown) => `${name} ${JSON.stringify(input)}` }),
};
const { state } = await executeGraph(compiled, { runtime: createRuntime({ tools }) });
console.log(state.log);
console.log(state.outputs);
