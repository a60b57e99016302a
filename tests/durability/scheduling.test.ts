// Graphs that once hung, or ended differently depending on what finished first. Each was found by the random graphs of
// random-graphs.test.ts and made small by hand.

import { expect, test } from "bun:test";
import { compileGraph } from "../../src/workflows/graph/compile/compile.ts";
import { compileGraphConfig } from "../../src/workflows/graph/build/compile-config.ts";
import type { CompiledGraph } from "../../src/workflows/graph/compile/compiled-graph.ts";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import type { ExecutionResult } from "../../src/workflows/graph/run/execute-options.ts";
import type { NodeDefinition } from "../../src/workflows/graph/model/node.ts";
import { createNode } from "../../src/workflows/graph/nodes/create-node.ts";
import { mapNode } from "../../src/workflows/graph/nodes/map.ts";
import { parallelNode } from "../../src/workflows/graph/nodes/parallel.ts";
import { waitNode } from "../../src/workflows/graph/nodes/wait.ts";
import { runToState } from "../../src/workflows/graph/run/run-to-state.ts";
import { annotation, type BaseState, Reducers } from "../../src/workflows/graph/model/state.ts";
import { MemorySaver } from "../../src/journal/memory.ts";
import { Scheduler } from "./scheduler.ts";

interface LogState extends BaseState {
  log: string[];
}

const stateAnnotations = { log: annotation<string[]>([], Reducers.concat) };

let scheduler = new Scheduler(0);

function say(id: string): NodeDefinition<LogState> {
  return createNode<LogState>({
    id,
    execute: async () => {
      await scheduler.turn();
      return { stateUpdate: { log: [id] } };
    },
  });
}

function run(graph: CompiledGraph<LogState>, seed = 0): Promise<ExecutionResult<LogState>> {
  scheduler = new Scheduler(seed);
  return scheduler.drive(
    executeGraph(graph, { journal: { store: new MemorySaver(), run: "run" }, runtime: { clock: scheduler.clock } }),
  );
}

test("a parallel node with a limit continues after a branch that was itself parallel", async () => {
  const graph = compileGraphConfig<LogState>({
    stateAnnotations,
    startNode: "outer",
    nodes: [
      parallelNode<LogState>({
        id: "outer",
        concurrency: 1,
        branches: [[parallelNode<LogState>({ id: "inner", branches: [say("a"), say("b")] }), say("c")], say("d")],
      }),
    ],
    edges: [],
  });

  const { status, state } = await run(graph);

  expect({ status, log: state.log }).toEqual({ status: "completed", log: ["a", "b", "c", "d"] });
});

test("a limit of one branch at a time holds while a branch forks and joins", async () => {
  const running = new Set<string>();
  const together = new Set<string>();
  const watched = (id: string, branch: string): NodeDefinition<LogState> =>
    createNode<LogState>({
      id,
      execute: async () => {
        running.add(branch);
        if (running.size > 1) together.add([...running].sort().join("+"));
        await scheduler.turn();
        running.delete(branch);
        return { stateUpdate: { log: [id] } };
      },
    });
  const graph = compileGraphConfig<LogState>({
    stateAnnotations,
    startNode: "outer",
    nodes: [
      parallelNode<LogState>({
        id: "outer",
        concurrency: 1,
        branches: [
          [
            parallelNode<LogState>({ id: "inner", branches: [watched("a", "one"), watched("b", "one")] }),
            watched("c", "one"),
          ],
          [watched("d", "two"), watched("e", "two")],
        ],
      }),
    ],
    edges: [],
  });

  for (let seed = 0; seed < 10; seed++) await run(graph, seed);

  expect([...together]).toEqual([]);
});

test("a map suspends when each of its items asks, and continues with the answers", async () => {
  const graph = compileGraphConfig<LogState>({
    stateAnnotations,
    startNode: "each",
    nodes: [
      mapNode<LogState>({
        id: "each",
        items: () => [1, 2, 3],
        node: waitNode({ id: "ask", prompt: ({ item }: { item?: unknown }) => `What about ${String(item)}?` }) as never,
      }),
    ],
    edges: [],
  });
  scheduler = new Scheduler(0);
  const store = new MemorySaver();

  const paused = await scheduler.drive(executeGraph(graph, { journal: { store, run: "run" } }));
  expect(paused.status).toBe("paused");
  expect(paused.questions.map(({ text }) => text)).toEqual(["What about 1?", "What about 2?", "What about 3?"]);

  const answers = { "What about 1?": "a", "What about 2?": "b", "What about 3?": "c" };
  const done = await scheduler.drive(executeGraph(graph, { journal: { store, run: "run", resume: true }, answers }));
  expect(done.state.outputs).toEqual({ each: ["a", "b", "c"] });
});

test("a parallel node can name another parallel node as its branch", async () => {
  const graph = compileGraphConfig<LogState>({
    stateAnnotations,
    startNode: "outer",
    nodes: [
      parallelNode<LogState>({ id: "outer", branches: ["inner", "c"] }),
      parallelNode<LogState>({ id: "inner", branches: [say("a"), say("b")] }),
      say("c"),
      say("d"),
    ],
    edges: [{ from: "outer", to: "d" }],
  });

  const { status, state } = await run(graph);

  expect({ status, log: state.log }).toEqual({ status: "completed", log: ["a", "b", "c", "d"] });
});

test("a node without edges that two parallel nodes name as a branch is refused", () => {
  const compile = (): unknown =>
    compileGraphConfig<LogState>({
      stateAnnotations,
      startNode: "one",
      nodes: [
        parallelNode<LogState>({ id: "one", branches: ["a", "b"] }),
        parallelNode<LogState>({ id: "two", branches: ["b", "c"] }),
        say("a"),
        say("b"),
        say("c"),
      ],
      edges: [{ from: "one", to: "two" }],
    });

  expect(compile).toThrow(/node "b": is a branch of "one" and of "two"/);
});

test("a cycle of parallel nodes runs into the step limit instead of hanging", async () => {
  const graph = compileGraphConfig<LogState>(
    {
      stateAnnotations,
      startNode: "one",
      nodes: [
        parallelNode<LogState>({ id: "one", branches: ["two", say("a")] }),
        parallelNode<LogState>({ id: "two", branches: ["one", say("b")] }),
      ],
      edges: [],
    },
    { maxSteps: 200 },
  );

  const { status, error } = await run(graph);

  expect({ status, code: (error as { code?: string } | undefined)?.code }).toEqual({
    status: "paused",
    code: "STEP_LIMIT",
  });
});

test("a cycle of parallel nodes pauses again when it is resumed", async () => {
  const quick = (id: string) => createNode<LogState>({ id, execute: () => ({ stateUpdate: { log: [id] } }) });
  const circle = compileGraphConfig<LogState>({
    stateAnnotations,
    startNode: "one",
    nodes: [
      parallelNode<LogState>({ id: "one", branches: ["two", quick("a")] }),
      parallelNode<LogState>({ id: "two", branches: ["one", quick("b")] }),
    ],
    edges: [],
  });
  const store = new MemorySaver();
  const go = (resume: boolean, maxSteps: number) =>
    executeGraph(circle, { journal: { store, run: "circle", resume }, maxSteps });

  const first = await go(false, 40);
  const same = await go(true, 40);
  const raised = await go(true, 100);

  expect([first, same, raised].map(({ reason }) => reason)).toEqual(["budget", "budget", "budget"]);
  expect([same.state, raised.state].map(({ log }) => log)).toEqual([first.state.log, first.state.log]);
  expect(raised.steps).toBeGreaterThan(first.steps);
});

test("a branch that goes back to where it was forked off does not mix with those of the round before", async () => {
  // `right` goes back to `fork` once, so there are two rounds of `left`. The first round's `left` comes to `again`, which
  // has two ways in, sooner or later than the second round's does.
  const seen = (state: Readonly<LogState>, id: string): number => state.log.filter((line) => line === id).length;
  const graph = compileGraphConfig<LogState>({
    stateAnnotations,
    startNode: "fork",
    nodes: [say("fork"), say("left"), say("again"), say("right")],
    edges: [
      { from: "fork", to: "left" },
      { from: "fork", to: "right" },
      { from: "left", to: "again" },
      { from: "again", to: "again", condition: (state) => seen(state, "again") < 2 },
      { from: "right", to: "fork", condition: (state) => seen(state, "right") < 2 },
    ],
  });

  const ends = new Set<string>();
  for (let seed = 0; seed < 40; seed++) ends.add(JSON.stringify((await run(graph, seed)).state.log));

  expect([...ends]).toEqual([
    JSON.stringify(["fork", "left", "again", "again", "right", "fork", "left", "again", "again", "right"]),
  ]);
});

test("a branch that is caught and redirected is waited for where it may arrive, in any order", async () => {
  const fails = createNode<LogState>({
    id: "fails",
    execute: async () => {
      await scheduler.turn();
      throw new Error("no");
    },
  });
  const built = compileGraph<LogState>(
    {
      annotations: stateAnnotations,
      startNode: "fork",
      errorNode: "caught",
      config: {},
      nodes: [say("fork"), say("left"), fails, say("join"), say("caught")],
      edges: [
        { from: "fork", to: "left" },
        { from: "fork", to: "fails" },
        { from: "left", to: "join" },
        { from: "caught", to: "join" },
      ],
    },
    runToState,
  );

  const ends = new Set<string>();
  for (let seed = 0; seed < 20; seed++) ends.add(JSON.stringify((await run(built, seed)).state.log));

  expect([...ends]).toEqual([JSON.stringify(["fork", "left", "caught", "join"])]);
});

test("an undeclared goto is refused in a branch, and followed outside one", async () => {
  const jumps = createNode<LogState>({ id: "jumps", execute: () => ({ goto: "there" }) });
  const inBranch = compileGraphConfig<LogState>({
    stateAnnotations,
    startNode: "fork",
    nodes: [say("fork"), say("left"), jumps, say("there")],
    edges: [
      { from: "fork", to: "left" },
      { from: "fork", to: "jumps" },
      { from: "left", to: "there" },
    ],
  });
  const alone = compileGraphConfig<LogState>({
    stateAnnotations,
    startNode: "jumps",
    nodes: [jumps, say("between"), say("there")],
    edges: [
      { from: "jumps", to: "between" },
      { from: "between", to: "there" },
    ],
  });

  const refused = await run(inBranch);
  expect(refused.error?.message).toMatch(/"jumps" goes to "there" from inside a branch.*list "there" in its `targets`/);
  expect((await run(alone)).state.log).toEqual(["there"]);
});
