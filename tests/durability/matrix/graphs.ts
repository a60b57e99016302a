// The graphs of the kill matrix, by name: everything that a journal has to restore.

import { graph } from "../../../src/workflows/graph/build/builder.ts";
import { compileGraphConfig } from "../../../src/workflows/graph/build/compile-config.ts";
import type { NodeDefinition } from "../../../src/workflows/graph/model/node.ts";
import { decisionNode } from "../../../src/workflows/graph/nodes/decision.ts";
import { mapNode } from "../../../src/workflows/graph/nodes/map.ts";
import { parallelNode } from "../../../src/workflows/graph/nodes/parallel.ts";
import { subgraphNode } from "../../../src/workflows/graph/nodes/subgraph.ts";
import { waitNode } from "../../../src/workflows/graph/nodes/wait.ts";
import { annotations, type GraphKit, type MakeGraph, type MatrixState, pause, told } from "./graph-kit.ts";

const count = (state: Readonly<MatrixState>, node: string): number =>
  state.log.filter((line) => line.startsWith(`${node}#`)).length;

const withLog = (sub: Readonly<MatrixState>): Partial<MatrixState> => ({
  log: sub.log.map((line) => `| ${line}`),
  total: sub.total,
  last: sub.last,
});

function subgraphOf(id: string, subgraph: ReturnType<typeof pair> | string): NodeDefinition<MatrixState> {
  return subgraphNode<MatrixState, MatrixState>({ id, subgraph, inputMapper: () => ({}), outputMapper: withLog });
}

function pair(kit: GraphKit, name: string) {
  return graph(annotations)
    .start(kit.say(`${name}-in`))
    .then(kit.inSteps(`${name}-out`, ["one", "three"]))
    .compile({ name });
}

export const matrixGraphs: Readonly<Record<string, MakeGraph>> = {
  chain: (kit) => ({
    graph: graph(annotations).start(kit.say("a")).then(kit.say("b")).then(kit.say("c")).then(kit.say("d")).compile(),
  }),

  branches: (kit) => ({
    graph: compileGraphConfig<MatrixState>({
      stateAnnotations: annotations,
      startNode: "a",
      nodes: [
        kit.say("a"),
        kit.say("never"),
        kit.say("b"),
        decisionNode<MatrixState>({
          id: "choose",
          routes: [{ condition: (state) => state.total === 2, target: "a" }],
          fallback: "c",
        }),
        kit.say("c"),
      ],
      edges: [
        { from: "a", to: "never", condition: (state) => state.total > 5 },
        { from: "a", to: "b" },
        { from: "b", to: "choose" },
      ],
    }),
  }),

  loop: (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .loop([kit.say("b"), kit.say("c")], { until: (state) => state.total >= 7 })
      .loop(kit.say("d"), { until: () => false, maxIterations: 2 })
      .then(kit.say("e"))
      .compile(),
  }),

  "nested parallel": (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({
        id: "outer",
        concurrency: 2,
        branches: {
          one: [
            parallelNode<MatrixState>({ id: "inner", branches: [kit.say("b"), kit.say("c", { turns: 3 })] }),
            kit.say("d"),
          ],
          two: [kit.say("e", { turns: 2 }), kit.say("f")],
          three: kit.say("g"),
        },
      })
      .then(kit.say("h"))
      .compile(),
  }),

  "partial joins": (kit) => ({
    graph: compileGraphConfig<MatrixState>({
      stateAnnotations: annotations,
      startNode: "s",
      nodes: [
        kit.say("s"),
        kit.say("a", { turns: 3 }),
        kit.say("b"),
        kit.say("c", { turns: 2 }),
        kit.say("j"),
        kit.say("k"),
        kit.say("z"),
      ],
      edges: [
        { from: "s", to: "a" },
        { from: "s", to: "b" },
        { from: "s", to: "c" },
        { from: "a", to: "j" },
        { from: "b", to: "j" },
        { from: "c", to: "k" },
        { from: "j", to: "k" },
        { from: "k", to: "z" },
      ],
    }),
  }),

  "subgraph by value": (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .then(subgraphOf("sub", pair(kit, "pair")))
      .then(kit.say("b"))
      .compile(),
  }),

  "subgraph by name": (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({ id: "both", branches: [subgraphOf("left", "pair"), subgraphOf("right", "pair")] })
      .then(kit.say("b"))
      .compile({ name: "outer" }),
    workflows: (name) => (name === "pair" ? pair(kit, "pair") : null),
  }),

  "wait in parallel": (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({
        id: "both",
        concurrency: 1,
        branches: {
          asks: [waitNode<MatrixState>({ id: "colour", prompt: "Which colour?" }), kit.say("b")],
          works: [kit.say("c"), kit.say("d")],
          "asks too": waitNode<MatrixState>({ id: "size", prompt: "Which size?" }),
        },
      })
      .then(kit.say("e"))
      .compile(),
    answers: { "Which colour?": "red", "Which size?": 7 },
  }),

  "wait in a subgraph in a loop": (kit) => {
    const inner = graph(annotations)
      .start(kit.say("in"))
      .wait(
        waitNode<MatrixState>({
          id: "ask",
          prompt: "Go on?",
          outputMapper: (answer) => ({ log: [`answer ${answer as string}`] }),
        }),
      )
      .then(kit.say("out"))
      .compile();
    return {
      graph: graph(annotations)
        .start(kit.say("a"))
        .loop(subgraphOf("sub", inner), { until: (state) => state.total >= 5 })
        .then(kit.say("b"))
        .compile(),
      answers: { "Go on?": "yes" },
    };
  },

  "retry with backoff": (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      // It fails twice, and a kill counts as an attempt: the matrix kills it twice.
      .then(kit.flaky("b", 2, { retry: { maxAttempts: 5, backoffMs: 1000 } }))
      .then(kit.say("c"))
      .compile(),
  }),

  "failure routed": (kit) => ({
    graph: compileGraphConfig<MatrixState>({
      stateAnnotations: annotations,
      startNode: "a",
      nodes: [
        kit.say("a"),
        kit.fails("b", { onError: "repair" }),
        kit.say("never"),
        kit.say("repair"),
        kit.fails("c", { onError: (_error, context) => ({ action: "skip", ...told(context, "skipped") }) }),
        kit.fails("d", {
          retry: { maxAttempts: 2, backoffMs: 10 },
          targets: ["e"],
          onError: () => ({ action: "goto", nodeId: "e" }),
        }),
        kit.say("e"),
      ],
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "never" },
        { from: "repair", to: "c" },
        { from: "c", to: "d" },
      ],
    }),
  }),

  catch: (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({ id: "both", branches: [[kit.fails("b", {}), kit.say("never")], kit.say("c")] })
      .then(kit.say("d"))
      .catch(kit.say("caught"))
      .compile(),
  }),

  "catch around nested parallel": (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({
        id: "outer",
        branches: [
          [
            parallelNode<MatrixState>({ id: "inner", branches: [kit.fails("b", {}), kit.inSteps("c", ["one"])] }),
            kit.say("never"),
          ],
          [subgraphOf("sub", pair(kit, "sub")), kit.say("d")],
          mapNode<MatrixState>({ id: "map", items: () => [1, 2], node: kit.fails("e", {}) }),
        ],
      })
      .then(kit.say("not reached"))
      .catch(kit.say("caught"))
      .compile(),
  }),

  "steps beside questions": (kit) => ({
    answers: { "Which?": "this", "Really?": true },
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({ id: "both", branches: [kit.askBeside("b", "Which?"), [kit.say("c"), kit.askBeside("d", "Really?")]] })
      .then(kit.say("e"))
      .compile(),
  }),

  steps: (kit) => ({
    graph: graph(annotations)
      .start(kit.inSteps("a", ["one", "three", "one"]))
      .parallel({ id: "both", branches: [kit.inSteps("b", ["x", "y"]), kit.inSteps("c", ["long one", "z"])] })
      .compile(),
  }),

  goto: (kit) => ({
    graph: compileGraphConfig<MatrixState>({
      stateAnnotations: annotations,
      startNode: "a",
      nodes: [
        kit.say("a"),
        kit.node("b", { targets: ["a", "d"] }, async (context) => {
          await pause(1);
          return { ...told(context), goto: count(context.state, "b") < 2 ? "a" : "d" };
        }),
        kit.say("never"),
        kit.say("d"),
      ],
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "never" },
      ],
    }),
  }),

  race: (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({
        id: "race",
        strategy: "race",
        branches: {
          slow: [kit.say("b"), kit.node("forever", {}, (context) => untilAborted(context.signal)), kit.say("never")],
          quick: [kit.say("c", { turns: 3 }), kit.say("d")],
        },
      })
      .then(kit.say("e"))
      .compile(),
  }),

  any: (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({
        id: "any",
        strategy: "any",
        branches: { bad: [kit.say("b"), kit.fails("c", {})], good: [kit.say("d", { turns: 4 }), kit.say("e")] },
      })
      .then(kit.say("f"))
      .compile(),
  }),

  "failed and retried": (kit) => ({
    isRetried: true,
    graph: graph(annotations)
      .start(kit.say("a"))
      .then(kit.flaky("b", 2, {}))
      .parallel({ branches: [kit.flaky("left", 1, {}), kit.inSteps("right", ["one", "two"])], strategy: "all" })
      .then(kit.say("c"))
      .compile(),
  }),

  "failed in a subgraph and retried": (kit) => ({
    isRetried: true,
    graph: graph(annotations)
      .start(kit.say("a"))
      .then(
        subgraphOf(
          "sub",
          graph(annotations)
            .start(kit.say("in"))
            .then(kit.flaky("b", 1, {}))
            .then(kit.say("out"))
            .compile({ name: "sub" }),
        ),
      )
      .then(kit.say("c"))
      .compile(),
  }),

  cancelled: (kit) => ({
    cancelledAt: "Go on?",
    graph: graph(annotations)
      .start(kit.say("a"))
      .parallel({
        branches: [kit.inSteps("left", ["one", "two"]), waitNode<MatrixState>({ id: "right", prompt: "Go on?" })],
        strategy: "all",
      })
      .then(kit.say("never"))
      .compile(),
  }),

  map: (kit) => ({
    graph: graph(annotations)
      .start(kit.say("a"))
      .then(
        mapNode<MatrixState>({
          id: "each",
          items: () => ["x", "y", "z"],
          concurrency: 2,
          node: kit.inSteps("item", ["one", "two"]),
          collect: (state) => state.log.at(-1) ?? "",
          outputMapper: (results, state) => ({
            log: results.map((line) => `${state.total}: ${line as string}`),
            total: 1,
          }),
        }),
      )
      .then(kit.say("b"))
      .compile(),
  }),
};

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
}
