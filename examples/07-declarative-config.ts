// The same kind of graph as data: nodes, edges, annotations. This is how a workflow file exports one. Edges with a
// condition are tried in order, and the first that holds is followed; those without one are followed, all of them,
// when none holds.

import type { WorkflowGraphConfig } from "atomic/types";
import {
  AtomicError,
  type BaseState,
  compileGraphConfig,
  Reducers,
  annotation,
  toolNode,
} from "atomic/workflows/graph";

interface Guess extends BaseState {
  secret: number;
  guess: number;
  tries: number;
}

const config: WorkflowGraphConfig<Guess> = {
  startNode: "guess",
  nodes: [
    toolNode({ id: "guess", execute: () => 1, outputMapper: (one) => ({ tries: one }) }),
    toolNode({ id: "higher", execute: (state) => state.guess + 8, outputMapper: (guess) => ({ guess }) }),
    toolNode({ id: "lower", execute: (state) => state.guess - 3, outputMapper: (guess) => ({ guess }) }),
    toolNode({ id: "celebrate", execute: (state) => `${state.guess}, after ${state.tries} tries` }),
  ],
  edges: [
    { from: "guess", to: "higher", condition: (state) => state.guess < state.secret },
    { from: "guess", to: "lower", condition: (state) => state.guess > state.secret },
    { from: "guess", to: "celebrate" },
    { from: "higher", to: "guess" },
    { from: "lower", to: "guess" },
  ],
  stateAnnotations: { tries: annotation(0, Reducers.sum) },
  maxIterations: 20, // How often one node may come again.
};

const state = await compileGraphConfig(config).execute({ secret: 15, guess: 5 });
console.log(state.outputs["celebrate"]);

// Everything that is wrong with a config comes in one error, each fault with its place.
try {
  compileGraphConfig({
    ...config,
    startNode: "gues",
    edges: [...config.edges, { from: "guess", to: "lowr" }],
    nodes: [...config.nodes, toolNode({ id: "guess", execute: () => 1, timeoutMs: -1 })],
  });
} catch (error) {
  if (AtomicError.is(error, "GRAPH_INVALID")) console.log(error.message);
}
