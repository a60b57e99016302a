// An update reaches a token: its own view of the state, and the list of what its branch changed. Most branches end with
// an update that only the join looks at, so a simple one is folded into the branch's own view on demand.

import { AtomicError } from "../../../lib/errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import type { CompiledGraph } from "../compile/compiled-graph.ts";
import type { StateFold } from "../model/fold.ts";
import type { PlanNode } from "../compile/plan.ts";
import type { Token } from "./token.ts";
import { ownSegment } from "./token.ts";

export function applyUpdate(
  { graph: { plan }, fold }: { readonly graph: CompiledGraph<Record<string, unknown>>; readonly fold: StateFold },
  token: Token,
  update: JsonObject,
  at: number,
): void {
  const own = ownSegment(token.branch);
  try {
    if (own === undefined) {
      token.state = fold.apply(token.state, update, at);
      return;
    }
    const isSimple = fold.isSimple(update, token.foldedState);
    if (isSimple) token.foldLater(fold, update, at);
    else token.state = fold.apply(token.state, update, at);
    fold.collect(own.delta, update, at, (plan.nodes[token.at] as PlanNode).id, isSimple);
  } catch (thrown) {
    if (!AtomicError.is(thrown)) throw thrown;
    const message = `The update of node "${plan.nodes[token.at]?.id}" can't be folded: ${thrown.message}`;
    throw new AtomicError(thrown.code, message, { cause: thrown, details: thrown.details });
  }
}
