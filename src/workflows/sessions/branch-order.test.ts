// What a record shows of the state is what the engine has: compared with its own state at the end of random graphs, and
// with its order where branches finish in another order than they were declared in.

import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { readEvent } from "../../events/run-event.ts";
import type { JournalEvent } from "../../journal/port.ts";
import { isValid } from "../../../tests/durability/random-checks.ts";
import { runRandom } from "../../../tests/durability/random-run.ts";
import { type GraphSpec, graphSpec } from "../../../tests/durability/random-spec.ts";
import { emptyState, nextState } from "./recorded-state.ts";
import { createSessionView, nextView } from "./session-view.ts";
import { combinedValue } from "./state-value.ts";

function shownState(events: readonly JournalEvent[]): Readonly<Record<string, unknown>> {
  const read = events.map((event, i) => readEvent({ at: 0, ...event, seq: i + 1 }));
  const { graph } = read.reduce(nextView, createSessionView("run"));
  const { written, branches } = read.reduce((state, event) => nextState(state, event, graph), emptyState);
  return Object.fromEntries([...written].map(([name, state]) => [name, combinedValue(state, branches).value]));
}

/** Those that the record has everything of: not what code of the workflow combines. */
const keys = ["log", "last", "n", "seen", "table", "outputs"] as const;

/** Nothing in the record says what an author's own merge made of the branches. */
const hasMerge = (spec: GraphSpec): boolean => JSON.stringify(spec).includes('"merges":true');

test("the state of a random graph is the engine's, whatever finished first", async () => {
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(graphSpec({ races: true, failures: false, questions: false }), fc.nat(), async (spec, seed) => {
      if (!isValid(spec) || hasMerge(spec)) return;
      const { status, state, tape } = await runRandom(spec, { seed });
      if (status !== "completed") return;
      const shown = shownState(tape.flatMap((written) => (written.kind === "append" ? written.events : [])));
      for (const key of keys) expect({ key, value: shown[key] }).toEqual({ key, value: state[key] });
      compared++;
    }),
    { numRuns: 8, seed: 1 },
  );
  // A search that throws everything away looks at nothing.
  expect(compared).toBeGreaterThan(1);
});

const update = (key: string, value: string): JournalEvent => ({
  type: "node.finished",
  key,
  node: key,
  visit: 1,
  attempt: 1,
  update: { log: [value], last: value },
});
const started = (shape: object): JournalEvent => ({
  type: "run.started",
  workflow: "w",
  resumed: false,
  state: { log: ["first"], last: "first" },
  reducers: { log: "concat" },
  shape: { nodes: ["tool fork", "tool a", "tool b", "tool c", "tool end"], start: "fork", ...shape },
});
const edges = ["fork -> a", "fork -> b", "fork -> c", "a -> end", "b -> end", "c -> end"];

const cases: readonly (readonly [string, readonly JournalEvent[], readonly string[]])[] = [
  ["the last branch first", [update("fork#1/c/c#1", "c"), update("fork#1/a/a#1", "a")], ["first", "a", "c"]],
  [
    "branches that met, and continued as one beside another",
    [
      update("fork#1/b/b#1", "b"),
      update("fork#1/c/c#1", "c"),
      update("fork#1/a/a#1", "a"),
      update("fork#1/a+b/end#1", "end"),
    ],
    ["first", "a", "b", "end", "c"],
  ],
  [
    "what comes after the branches",
    [update("fork#1/b/b#1", "b"), update("fork#1/a/a#1", "a"), update("end#1", "end")],
    ["first", "a", "b", "end"],
  ],
  [
    "a fork inside a branch, between what the branch did before and after",
    [
      update("fork#1/b/b#1", "b"),
      update("fork#1/a/in#1", "a1"),
      update("fork#1/a/in#1/x/x#1", "x"),
      update("fork#1/a/out#1", "a2"),
    ],
    ["first", "a1", "x", "a2", "b"],
  ],
  [
    "only the branch that won",
    [update("fork#1/a/a#1", "a"), update("fork#1/b/b#1", "b"), { type: "branch.won", key: "fork#1", branch: "b" }],
    ["first", "b"],
  ],
  [
    "nothing of a branch that was given up",
    [
      update("fork#1/a/a#1", "a"),
      {
        type: "node.failed",
        key: "fork#1/a/x#1",
        node: "x",
        visit: 1,
        attempt: 1,
        error: { message: "no" },
        lost: true,
      },
      update("fork#1/b/b#1", "b"),
    ],
    ["first", "b"],
  ],
  ["nothing of a subgraph's own state", [update("sub#1/a#1", "inside"), update("sub#1", "out")], ["first", "out"]],
];

test.each(cases)("the state has %s", (_, events, log) => {
  expect(shownState([started({ edges }), ...events])).toMatchObject({ log, last: log.at(-1) });
});

test("branches with names of their own stand in the order of the nodes that they begin with", () => {
  const events = [
    started({ edges: ["fan -> a", "fan -> b"] }),
    update("fan#1/right/b#1", "b"),
    update("fan#1/left/a#1", "a"),
    update("fan#1/left/more#1", "more"),
  ];

  expect(shownState(events)).toMatchObject({ log: ["first", "a", "more", "b"], last: "b" });
});
