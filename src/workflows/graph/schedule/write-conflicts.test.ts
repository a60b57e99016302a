import { describe, expect, test } from "bun:test";
import { crashEverywhere } from "atomic/testing";
import type { BaseState, NodeDefinition, ParallelNodeConfig } from "atomic/workflows/graph";
import {
  annotation,
  createNode,
  executeGraph,
  graph,
  MemorySaver,
  parallelNode,
  Reducers,
} from "atomic/workflows/graph";
import { collect } from "../../../../tests/support/graph-kit.ts";

interface State extends BaseState {
  winner: string;
  log: string[];
  chosen: string;
}

const annotations = {
  winner: annotation(""),
  log: annotation<string[]>([], Reducers.concat),
  chosen: annotation("", (_: string, next: string) => next),
};

const write = (id: string, update: Partial<State>): NodeDefinition<State> =>
  createNode<State>({ id, execute: () => ({ stateUpdate: update }) });

const compiled = (branches: ParallelNodeConfig<State>["branches"], more: Partial<ParallelNodeConfig<State>> = {}) =>
  graph(annotations)
    .start(write("s", { winner: "nobody" }))
    .parallel({ ...more, id: "both", branches })
    .then(write("after", { log: ["after"] }))
    .compile();

async function warningsOf(of: ReturnType<typeof compiled>, snapshotEvery = 500) {
  const store = new MemorySaver();
  const result = await executeGraph(of, { journal: { store, run: "r" }, snapshotEvery });
  const warned = (await collect(store.read("r"))).filter(({ type }) => type === "run.warned");
  expect(warned.map(({ kind, message }) => ({ kind, message }))).toEqual([...(result.warnings ?? [])] as never);
  return { messages: warned.map(({ message }) => message as string), state: result.state, store };
}

const lost = (key: string, nodes: string, kept: string) =>
  `Branches of "both" wrote the state key "${key}", which has no reducer: ${nodes}. The value of ${kept} is kept, the others are lost. Give the key a reducer, or let one branch write it.`;

describe("branches that write a key without a reducer", () => {
  test("lose all values but the last, and the run says so once, with the key and the nodes", async () => {
    const { messages, state } = await warningsOf(
      compiled([write("a", { winner: "a" }), [write("b1", { winner: "b1" }), write("b2", { log: ["b2"] })]]),
    );

    expect(state.winner).toBe("b1");
    expect(messages).toEqual([lost("winner", '"a", "b1"', '"b1"')]);
  });

  test("name the nodes inside inner parallel nodes, and the last ones of many", async () => {
    const inner = parallelNode<State>({
      id: "inner",
      branches: [write("i", { winner: "i" }), write("j", { log: ["j"] })],
    });
    const many = ["c", "d", "e", "f"].map((id) => write(id, { winner: id }));
    const { messages } = await warningsOf(compiled([inner, ...many], { concurrency: 1 }), 1);

    expect(messages).toEqual([lost("winner", '"c", "d", "e", "f" (and 1 more)', '"f"')]);
  });

  const fine: Record<string, ReturnType<typeof compiled>> = {
    "the same value": compiled([write("a", { winner: "x" }), write("b", { winner: "x" })]),
    "different keys": compiled([write("a", { winner: "x" }), write("b", { log: ["x"] })]),
    "a key with a reducer": compiled([write("a", { chosen: "a" }), write("b", { chosen: "b" })]),
    "one after the other": compiled([[write("a", { winner: "a" }), write("b", { winner: "b" })], write("c", {})]),
    "for the author's own merge": compiled([write("a", { winner: "a" }), write("b", { winner: "b" })], {
      merge: () => ({ winner: "both" }),
    }),
    "in a race": compiled([write("a", { winner: "a" }), write("b", { winner: "b" })], { strategy: "race" }),
  };
  test.each(Object.keys(fine))("are not warned of when they write %s", async (name) => {
    expect((await warningsOf(fine[name] as ReturnType<typeof compiled>)).messages).toEqual([]);
  });

  test("are warned of once however often the run is killed", async () => {
    const of = compiled([write("a", { winner: "a" }), write("b", { winner: "b" })]);
    const { store } = await warningsOf(of);
    const again = await executeGraph(of, { journal: { store, run: "r", resume: true } });

    expect(again.warnings).toBeUndefined();
    await crashEverywhere(of);
  });
});
