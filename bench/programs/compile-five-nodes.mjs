// The graph that the two programs compile.

/** @param {Pick<typeof import("../../src/public/graph.ts"), "createNode" | "graph">} engine */
export function compileFiveNodes({ createNode, graph }) {
  const node = (/** @type {string} */ id) => createNode({ id, execute: async () => undefined });
  const compiled = graph().start(node("a")).then(node("b")).then(node("c")).then(node("d")).then(node("e")).compile();
  if (compiled.nodes.size !== 5) throw new Error("The graph has the wrong size.");
}
