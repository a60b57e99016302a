// An update reaches a token: its own view of the state, and the list of what its branch changed.

import type { JsonObject } from "../../lib/json.ts";
import type { CompiledGraph } from "./compiled-graph.ts";
import type { Token } from "./token.ts";
import { ownSegment } from "./token.ts";

export function applyUpdate(
  graph: CompiledGraph<Record<string, unknown>>,
  token: Token,
  update: JsonObject,
  at: number,
): void {
  token.state = graph.fold.apply(token.state, update, at);
  const own = ownSegment(token.seat);
  if (own !== undefined) graph.fold.collect(own.delta, update, at);
}
