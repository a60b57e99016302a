import { expect, test } from "bun:test";
import { createNode } from "../graph/nodes/create-node.ts";
import { graph } from "../graph/build/builder.ts";
import { shapeOf } from "../graph/compile/fingerprint.ts";
import { subgraphNode } from "../graph/nodes/subgraph.ts";
import { readShape } from "./graph-shape.ts";

const node = (id: string) => createNode<Record<string, unknown>>({ id, execute: async () => ({}) });

test("readShape gives the nodes and edges of a graph back, subgraphs and conditions included", () => {
  const inner = graph().start(node("in")).compile();
  const built = graph<Record<string, unknown>>()
    .start(node("a b"))
    .then(subgraphNode({ id: "inner", subgraph: inner }))
    .then(subgraphNode({ id: "named", subgraph: "other" }))
    .if(() => true)
    .then(node("yes"))
    .endif()
    .compile();
  const read = readShape(shapeOf(built));

  expect(read?.start).toBe("a b");
  expect(read?.nodes.map(({ id }) => id)).toEqual([...built.nodes.keys()]);
  expect(read?.nodes.map(({ type }) => type)).toEqual([...built.nodes.values()].map((each): string => each.type));
  expect(read?.edges).toEqual(
    built.edges.map(({ from, to, condition }) => ({ from, to, isConditional: condition !== undefined })),
  );
});

test("readShape returns nothing for an invalid graph", () => {
  for (const forged of [undefined, null, 7, [], {}, { start: "a", nodes: 1, edges: [] }])
    expect(readShape(forged)).toBeUndefined();
  expect(readShape({ start: "a", nodes: [1, "tool a", ""], edges: [null, "a b"] })).toEqual({
    start: "a",
    nodes: [{ type: "tool", id: "a" }],
    edges: [],
  });
});
