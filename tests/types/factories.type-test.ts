// Factories in both call shapes, with nothing annotated: the builder or the config around them gives the state.

import type { BaseState, Json, StateUpdate, WorkflowGraphConfig } from "atomic/workflows/graph";
import {
  annotation,
  askUserNode,
  createDecisionNode,
  createNode,
  createWaitNode,
  customToolNode,
  decisionNode,
  graph,
  mapNode,
  parallelNode,
  subagentNode,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";
import { isSame } from "./expect-type.ts";

interface State extends BaseState {
  count: number;
  names: string[];
}

interface Inner extends BaseState {
  topic: string;
  found: string[];
}

export function oneObject(inner: ReturnType<typeof innerGraph>): void {
  graph<State>()
    .start(createNode({ id: "a", execute: ({ state }) => ({ stateUpdate: { count: state.count + 1 } }) }))
    .then(toolNode({ id: "b", execute: (state) => state.names, outputMapper: (names) => ({ count: names.length }) }))
    .then(toolNode({ id: "c", execute: async (state, { signal }) => (signal.aborted ? 0 : state.count) }))
    .then(toolNode({ id: "d", tool: "grep", input: (state) => ({ names: state.names }) }))
    .then(customToolNode({ id: "e", tool: "grep", args: (state) => state.names }))
    .then(decisionNode({ id: "f", routes: [{ condition: (state) => state.count > 1, target: "a" }], fallback: "g" }))
    .then(waitNode({ id: "g", prompt: (state) => `${state.count}?` }))
    .then(
      askUserNode({
        id: "h",
        question: (state) => `${state.count}?`,
        outputMapper: (answer) => ({ names: [JSON.stringify(answer)] }),
      }),
    )
    .then(subagentNode({ id: "i", agent: "x", task: (state) => state.names.join() }))
    .then(parallelNode({ id: "j", branches: [toolNode({ id: "j1", execute: (state) => state.count })] }))
    .then(mapNode({ id: "k", items: (state) => state.names, node: toolNode({ id: "k1", execute: (s) => s.item }) }))
    .then(
      subgraphNode({
        id: "l",
        subgraph: inner,
        inputMapper: (state) => ({ topic: state.names.join() }),
        outputMapper: (sub, state) => ({ names: [...state.names, ...sub.found] }),
      }),
    )
    .compile();
}

export function idAndOptions(inner: ReturnType<typeof innerGraph>): void {
  graph<State>()
    .start(createNode("a", { execute: ({ state }) => ({ stateUpdate: { count: state.count + 1 } }) }))
    .then(toolNode("b", { execute: (state) => state.names, outputMapper: (names) => ({ count: names.length }) }))
    .then(customToolNode("e", { tool: "grep", args: (state) => state.names }))
    .then(decisionNode("f", { routes: [{ condition: (state) => state.count > 1, target: "a" }], fallback: "g" }))
    .then(createDecisionNode("f2", [{ condition: (state) => state.count > 1, target: "a" }], "g"))
    .then(waitNode("g", { prompt: (state) => `${state.count}?` }))
    .then(createWaitNode("g2", (state) => `${state.count}?`))
    .then(askUserNode("h", { question: (state) => `${state.count}?` }))
    .then(subagentNode("i", { agent: "x", task: (state) => state.names.join() }))
    .then(subagentNode("i2", { agentType: "x", instruction: (state) => state.names.join() }))
    .then(parallelNode("j", { branches: { one: toolNode({ id: "j1", execute: (state) => state.count }) } }))
    .then(mapNode("k", { items: (state) => state.names, node: toolNode("k1", { execute: (s) => s.item }) }))
    .then(subgraphNode("l", inner, { outputMapper: (sub) => ({ names: sub.found }) }))
    .then(subgraphNode("m", { subgraph: inner, outputMapper: (sub) => ({ names: sub.found }) }))
    .then(subgraphNode("n", "by-name"))
    .compile();
}

export function blocksOfTheBuilder(): void {
  graph<State>()
    .start(createNode({ id: "a", execute: () => {} }))
    .loop(toolNode({ id: "b", execute: (state) => state.count }), { until: (state) => state.count > 3 })
    .loop([toolNode({ id: "c", execute: (state) => state.count })], { until: (state) => state.count > 3 })
    .loop(
      toolNode({ id: "d", execute: (state) => state.count }),
      toolNode({ id: "e", execute: (state) => state.count }),
      { until: (state) => state.count > 3, maxIterations: 5 },
    )
    .parallel({
      strategy: "all",
      branches: {
        left: toolNode({ id: "f", execute: (state) => state.count }),
        right: [waitNode({ id: "g", prompt: "?" })],
      },
      merge: (results, state) => {
        const left = results.get("left");
        isSame<typeof left, StateUpdate<State> | undefined>(true);
        return { count: state.count + results.size };
      },
    })
    .if((state) => state.count > 1)
    .elseIf((state) => state.names.length > 1)
    .else()
    .endif()
    .compile({ checkpointDir: (state) => `runs/${state.count}` });
}

/** Parts of the state, literals and wide types: what a node returns never narrows the state it is for. */
export function updatesThatFit(): void {
  const annotations = {
    phase: annotation<"plan" | "work">("plan"),
    any: annotation<unknown>(null),
    n: annotation<number | null>(null),
  };
  graph(annotations)
    .start(createNode({ id: "a", execute: () => ({ stateUpdate: { phase: "work" } }) }))
    .then(createNode({ id: "a", execute: async () => ({ stateUpdate: { phase: "work", outputs: { x: 1 } } }) }))
    .then(createNode("a", { execute: () => ({ stateUpdate: { any: 1, n: 2 } }) }))
    .then(createNode("a", { execute: () => ({ stateUpdate: { any: undefined, n: undefined } }) }))
    .then(createNode("a", { execute: ({ visit }) => (visit > 1 ? { goto: "x" } : { stateUpdate: { n: 1 } }) }))
    .then(
      createNode("a", {
        execute: ({ visit }) => {
          if (visit > 1) return { stateUpdate: { n: 1 } };
          if (visit > 2) return { stateUpdate: { phase: "plan" }, goto: "s" };
        },
      }),
    )
    .then(toolNode({ id: "t", execute: () => 1, outputMapper: () => ({ outputs: { x: 1 }, phase: "work" }) }))
    .then(toolNode("t", { execute: () => 1, outputMapper: (n) => ({ n, any: n }) }))
    .then(waitNode({ id: "t", prompt: "?", outputMapper: () => ({ phase: "work", n: 1 }) }))
    .then(askUserNode({ id: "t", question: "?", outputMapper: () => ({ phase: "work", n: 1 }) }))
    .then(subagentNode({ id: "t", agent: "?", task: "", outputMapper: () => ({ phase: "work", n: 1 }) }))
    .then(subgraphNode({ id: "t", subgraph: "?", outputMapper: () => ({ phase: "work", n: 1 }) }))
    .then(
      mapNode({
        id: "t",
        items: () => [],
        node: toolNode({ id: "q", execute: () => 1, outputMapper: () => ({ phase: "work", n: 1 }) }),
        outputMapper: () => ({ phase: "work", n: 1 }),
      }),
    )
    .then(
      parallelNode({
        id: "t",
        branches: [createNode({ id: "x", execute: () => ({ stateUpdate: { phase: "work" } }) })],
        merge: () => ({ phase: "work", n: 1 }),
      }),
    )
    .then(
      createNode({ id: "a", execute: () => {}, onError: () => ({ action: "skip", stateUpdate: { phase: "work" } }) }),
    )
    .then(createNode({ id: "a", execute: () => undefined, onError: "x" }))
    .then(createNode({ id: "a", execute: async () => {}, retry: { maxAttempts: 1 } }))
    .then(decisionNode({ id: "d", routes: [{ condition: () => true, target: "a" }], fallback: "b" }))
    .loop(createNode({ id: "a", execute: () => ({ stateUpdate: { phase: "work" } }) }), { until: () => true })
    .tool({ id: "a", execute: () => 1, outputMapper: () => ({ phase: "work", n: 1, any: 2 }) })
    .tool({ id: "a", execute: () => 1 })
    .compile();
}

/** The same inside a config literal. */
export const config: WorkflowGraphConfig<State> = {
  startNode: "a",
  nodes: [
    createNode({
      id: "a",
      execute: async ({ state, step, ask, attempt }) => {
        isSame<typeof state, Readonly<State>>(true);
        isSame<typeof attempt.previousNotes, readonly Json[]>(true);
        const length = await step("measure", () => state.names.length);
        isSame<typeof length, number>(true);
        const answer = await ask("go on?");
        isSame<typeof answer, Json>(true);
        return answer === true ? { stateUpdate: { count: length } } : { goto: "b" };
      },
    }),
    toolNode({ id: "b", execute: (state) => state.count }),
    mapNode({
      id: "c",
      items: (state) => state.names,
      node: createNode({ id: "d", execute: ({ state }) => ({ stateUpdate: { count: state.itemIndex } }) }),
    }),
  ],
  edges: [{ from: "a", to: "b", condition: (state) => state.count > 1 }],
};

export function wrongFactories(): void {
  // @ts-expect-error no id
  toolNode<State>({ execute: () => 1 });
  // @ts-expect-error no body
  createNode<State>({ id: "a" });
  // @ts-expect-error a decision needs a fallback
  decisionNode<State>({ id: "a", routes: [] });
  // @ts-expect-error no such strategy
  parallelNode<State>({ id: "a", branches: [], strategy: "most" });
  // @ts-expect-error a part that is not JSON can't be recorded
  createNode<State>({ id: "a", execute: async ({ step }) => void (await step("x", () => new Map())) });
  // @ts-expect-error retry needs the number of tries
  createNode<State>({ id: "a", execute: () => {}, retry: {} });
  // @ts-expect-error a loop needs its way out
  graph<State>().loop(createNode({ id: "a", execute: () => {} }), {});
}

function innerGraph() {
  return graph<Inner>()
    .start(toolNode({ id: "find", execute: (state) => [state.topic], outputMapper: (found) => ({ found }) }))
    .compile();
}
