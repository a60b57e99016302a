// How nodes are connected. A conditional edge is one of several alternatives: they are tried in the order they were
// declared and the first that holds is followed. Only when none holds are the unconditional edges followed, all of
// them: more than one is a fork (docs/decisions/010-edges.md).

import type { NodeId } from "./node.ts";

export interface Edge<S, Id extends string = NodeId> {
  readonly from: Id;
  readonly to: Id;
  /** A pure function of the state. */
  readonly condition?: ((state: Readonly<S>) => boolean) | undefined;
  readonly label?: string | undefined;
}
