// The state that a subgraph starts with: the values it is given over its own defaults, or the enclosing state and a few
// more keys.

import type { CompiledGraph } from "../compile/compiled-graph.ts";
import { foldOf } from "../compile/graph-fold.ts";
import type { StateValue } from "../model/fold.ts";
import { additionsOf } from "../model/inherited-state.ts";
import { lastUpdatedMs } from "./control-nodes.ts";

export function firstSubgraphState(
  graph: CompiledGraph<Record<string, unknown>>,
  given: Record<string, unknown>,
  parent: Readonly<Record<string, unknown>>,
  redact: ((text: string) => string) | undefined,
): StateValue {
  const fold = foldOf(graph);
  const added = additionsOf(given);
  const atMs = lastUpdatedMs(parent);
  if (added === undefined) return fold.initial(given, parent["executionId"] as string, atMs, redact);
  return fold.inherit(parent as StateValue, added, atMs, redact);
}
