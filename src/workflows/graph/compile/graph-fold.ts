// The fold of a graph's state. Made when the graph is first run, and apart from the graph: most programs that import the
// engine only build graphs, and then nothing of folding is loaded.

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
