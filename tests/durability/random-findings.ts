// Small graphs that broke the engine once, as the random search left them: tried first, so that none of them comes back.

import type { Deed, GraphSpec, NodeSpec } from "./random-spec.ts";

export interface How {
  readonly eagerSnapshots: boolean;
  readonly answersFirst: boolean;
  readonly slowStore: boolean;
  readonly isCareless?: boolean;
  readonly lowLimit?: boolean;
}

export type Finding = [GraphSpec, number, How];

const work: Deed = { kind: "work", turns: 0, deaf: false };

function node(deed: Deed, more: Partial<NodeSpec> = {}): NodeSpec {
  return { deed, loops: 1, next: [1], choice: null, back: null, named: [], ...more };
}

function parallel(branches: Deed[][], more: Partial<Extract<Deed, { kind: "parallel" }>> = {}): Deed {
  return { kind: "parallel", strategy: "all", concurrency: 1, merges: false, branches, ...more };
}

function nodes(...all: NodeSpec[]): GraphSpec {
  return { nodes: all, caught: null };
}

const plain: How = { eagerSnapshots: false, answersFirst: false, slowStore: false };
const snapshots: How = { ...plain, eagerSnapshots: true };
const slow: How = { ...plain, slowStore: true };

export const findings: readonly Finding[] = [
  // A branch that forked kept its place forever.
  [nodes(node(parallel([[parallel([[work]]), { kind: "skip" }], [work]]))), 0, plain],
  // Two questions in one body: the run never counted as idle.
  [nodes(node({ kind: "map", items: 2, of: { kind: "ask" } })), 0, plain],
  // A snapshot after the last node: resumed from the start, with an empty state.
  [nodes(node({ kind: "steps" }, { next: [] })), 0, snapshots],
  // A snapshot in the middle of a replay.
  [
    nodes(node({ kind: "ask" }, { next: [2, 1] }), node(work, { loops: 2 }), node({ kind: "steps" })),
    0,
    { ...snapshots, slowStore: true },
  ],
  // A snapshot after the end of the run.
  [
    nodes(node({ kind: "sub", graph: nodes(node({ kind: "sub", graph: nodes(node(work)) }, { loops: 2, next: [] })) })),
    0,
    { ...snapshots, slowStore: true },
  ],
  // A branch that was started by the one that was restored before it, and then once more.
  [nodes(node(parallel([[{ kind: "ask" }, work], [work]])), node(work)), 0, snapshots],
  // A branch that loops inside its own fork, awaited outside or not.
  [
    nodes(
      node(parallel([[{ kind: "ask" }]]), { next: [1, 2] }),
      node(parallel([[{ kind: "jump", to: 0, times: 1 }, work]])),
      node(work, { next: [], back: { to: 0, times: 1 } }),
    ),
    0,
    slow,
  ],
  // Recorded outcomes that follow from a branch that waits for its turn again.
  [
    nodes(
      node(parallel([[{ kind: "ask" }]]), { next: [1, 3] }),
      node(parallel([[{ kind: "ask" }], [{ kind: "jump", to: 2, times: 1 }, work]])),
      node({ kind: "skip" }, { loops: 2, next: [] }),
      node(work, { next: [] }),
    ),
    0,
    plain,
  ],
  // A token that starts to walk again before its last walk is over.
  [
    nodes(node({ kind: "skip" }, { next: [2, 1] }), node(work, { back: { to: 0, times: 1 } }), node({ kind: "steps" })),
    0,
    plain,
  ],
  // A loser that waited at the gate let it open too early.
  [
    nodes(
      node(parallel([[{ kind: "map", items: 0, of: work }], [work]], { strategy: "any", concurrency: 2 })),
      node(work, { next: [], back: { to: 0, times: 1 } }),
    ),
    0,
    plain,
  ],
  // What a loser had recorded, in the snapshot forever.
  [
    nodes(
      node(
        parallel(
          [
            [{ kind: "jump", to: 0, times: 1 }],
            [work, parallel([[{ kind: "flaky", failures: 1 }]])],
            [{ kind: "steps" }],
          ],
          {
            strategy: "race",
            concurrency: 2,
          },
        ),
      ),
      node(work),
      node(work),
    ),
    1_479_622_039,
    snapshots,
  ],
  // A branch that was let in while the race was being decided, and won it again.
  [
    nodes(
      node(parallel([[{ kind: "steps" }], [work], [parallel([[work]])]], { strategy: "race", concurrency: 2 })),
      node({ kind: "steps" }),
    ),
    0,
    plain,
  ],
  // A loser that asked while its question was being stored: it waited forever, and the run with it.
  [
    nodes(
      node(
        parallel(
          [
            [{ kind: "route", by: "id", to: 1 }],
            [
              { kind: "map", items: 2, of: { kind: "ask" } },
              { kind: "sub", graph: nodes(node({ kind: "jump", to: 0, times: 1 }, { next: [] })) },
            ],
          ],
          { strategy: "any", concurrency: 2 },
        ),
        { loops: 2 },
      ),
      node({ kind: "ask" }),
    ),
    0,
    slow,
  ],
];
