// The fold of a graph's state. Created when the graph is first run, and separate from the graph: most programs that
// import the engine only build graphs, and never load the folding code.

import { StateFold } from "../model/fold.ts";
import type { CompiledGraph } from "./compiled-graph.ts";

const folds = new WeakMap<object, StateFold>();

export function foldOf(graph: CompiledGraph<Record<string, unknown>>): StateFold {
  let fold = folds.get(graph);
  if (fold === undefined) {
    fold = new StateFold(graph.annotations);
    folds.set(graph, fold);
  }
  return fold;
}
