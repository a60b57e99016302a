// Where a graph goes can depend on the state. Two ways to say it:
//
// - `if`, `elseIf`, `else`, `endif` in the builder, when the ways meet again;
// - `goto` from a node, here by `decisionNode`, when one jumps ahead.

import { type BaseState, decisionNode, graph, toolNode } from "atomic/workflows/graph";

interface Change extends BaseState {
  files: number;
  isUrgent: boolean;
  steps: string;
}

/** A node that only notes that it ran. */
const step = (id: string) =>
  toolNode<Change, string>({
    id,
    execute: (state) => `${state.steps} > ${id}`,
    outputMapper: (steps) => ({ steps }),
  });

const release = graph<Change>()
  .start(step("read"))
  .if((state) => state.files === 0)
  .then(step("nothing-to-do"))
  .end() // Nothing follows in this branch.
  .elseIf((state) => state.files < 5)
  .then(step("quick-review"))
  .else()
  .then(step("long-review"))
  .then(step("second-opinion"))
  .endif()
  .then(
    decisionNode({
      id: "is-it-urgent",
      routes: [{ condition: (state) => state.isUrgent, target: "publish" }],
      fallback: "wait-for-monday",
    }),
  )
  .then(step("wait-for-monday"))
  .then(step("publish"))
  .compile();

for (const [files, isUrgent] of [
  [0, false],
  [2, true],
  [40, false],
] as const) {
  const { steps } = await release.execute({ files, isUrgent, steps: `${files} files` });
  console.log(steps);
}
