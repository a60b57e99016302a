// The design documents' samples of library code, on the packed package: bundled without it, run under Bun and Node.

import assert from "node:assert/strict";
import {
  type BaseState,
  compileGraphConfig,
  createNode,
  graph,
  setWorkflowResolver,
  toolNode,
} from "atomic/workflows/graph";
import { type AnalysisState, createNodes, type MainState } from "../../tests/fixtures/documents/000-subgraph-usage.ts";
import { createState, graphConfig } from "../../tests/fixtures/documents/002-declarative-workflow.ts";
import { MyAnnotation } from "../../tests/fixtures/documents/004-annotations.ts";

// 000: a compiled graph and a workflow's name as subgraphs.
const analysis = graph<AnalysisState>()
  .start(toolNode({ id: "read", execute: ({ doc }) => [`read ${doc}`], outputMapper: (results) => ({ results }) }))
  .compile();
const research = graph<BaseState & { topic: string }>()
  .start(toolNode({ id: "find", execute: ({ topic }) => `all about ${topic}` }))
  .compile();
setWorkflowResolver((name) => (name === "research-codebase" ? research : null));
const { analysisNode, researchNode } = createNodes(analysis);
const main = graph<MainState>().start(analysisNode).then(researchNode).compile();
const ended = await main.execute({ document: "a.md", currentTopic: "tea", analysisResults: [] });
assert.deepEqual(ended.analysisResults, ["read a.md"]);
assert.match(JSON.stringify(ended.outputs["research"]), /all about tea/);

// 002: a declarative graph compiles, and makes its state. Without an agent its planner says what is missing; with one it
// runs in agent-samples.ts.
const state = createState({
  prompt: "make tea",
  sessionId: "0b9e1a54-6c3f-4d8a-9f5e-2f6f4d1c7a10",
  sessionDir: "sessions",
  maxIterations: 50,
  options: {},
  cwd: ".",
});
const declared = compileGraphConfig(graphConfig);
await assert.rejects(declared.execute(state), /RUNTIME_MISSING|agent/i);

// 004: annotations fold.
const folded = await graph(MyAnnotation)
  .start(createNode({ id: "a", execute: () => ({ stateUpdate: { count: 2, items: ["x"], config: { depth: 1 } } }) }))
  .then(createNode({ id: "b", execute: () => ({ stateUpdate: { count: 3, items: ["y"] } }) }))
  .compile()
  .execute();
assert.equal(folded.count, 5);
assert.deepEqual(folded.items, ["x", "y"]);
console.log("000, 002 and 004 as library code");
