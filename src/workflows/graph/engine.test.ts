import { expect, test } from "bun:test";
import {
  graph,
  executeGraph,
  toolNode,
  waitNode,
  parallelNode,
  MemorySaver,
  annotation,
  Reducers,
  createNode,
  subgraphNode,
  decisionNode,
  mapNode,
} from "atomic/workflows/graph";

interface S {
  executionId: string;
  outputs: Record<string, unknown>;
  log: string[];
  n: number;
}
const annotations = { log: annotation<string[]>([], Reducers.concat), n: annotation(0, Reducers.sum) };
const say = (id: string, extra: object = {}) =>
  createNode<S>({ id, execute: () => ({ stateUpdate: { log: [id], n: 1 } }), ...extra });

test("smoke", async () => {
  const inner = graph(annotations)
    .start(say("i1"))
    .wait(waitNode<S>({ id: "q", prompt: "inner?" }))
    .then(say("i2"))
    .compile({ name: "inner" });
  const g = graph(annotations)
    .start(say("a"))
    .if((s) => s.n > 100)
    .then(say("never"))
    .elseIf((s) => s.n === 1)
    .then(say("b"))
    .else()
    .then(say("never2"))
    .endif()
    .parallel({
      id: "fan",
      branches: {
        left: [say("l1"), waitNode<S>({ id: "ask", prompt: "colour?" }), say("l2")],
        right: say("r1"),
        sub: subgraphNode<S, S>({
          id: "sub",
          subgraph: inner,
          inputMapper: () => ({}),
          outputMapper: (s) => ({ log: s.log }),
        }),
      },
    })
    .loop(
      [
        say("w"),
        createNode<S>({
          id: "x",
          execute: async (c) => {
            const v = await c.step("one", () => 5);
            return { stateUpdate: { n: v } };
          },
        }),
      ],
      { until: (s) => s.n > 20 },
    )
    .then(
      mapNode<S>({
        id: "m",
        items: () => [1, 2, 3],
        node: createNode({
          id: "mi",
          execute: (c) => ({ stateUpdate: { outputs: { mi: (c.state.item as number) * 2 } } }),
        }),
      }),
    )
    .end()
    .compile({ name: "smoke" });
  const store = new MemorySaver();
  const events: string[] = [];
  const r1 = await executeGraph(g, {
    journal: { store, run: "r" },
    onEvent: (e) => events.push(`${e.type} ${String(e["key"] ?? "")}`),
  });
  expect(r1.status).toBe("paused");
  expect(r1.questions.map((q) => q.text).sort()).toEqual(["colour?", "inner?"]);
  const r2 = await executeGraph(g, {
    journal: { store, run: "r", resume: true },
    answers: { "colour?": "red" },
    onEvent: (e) => events.push(`${e.type} ${String(e["key"] ?? "")}`),
  });
  expect(r2.status).toBe("paused");
  expect(r2.questions.map((q) => q.text)).toEqual(["inner?"]);
  await store.request("r", { type: "answer", question: "inner?", value: "blue" });
  const r3 = await executeGraph(g, {
    journal: { store, run: "r", resume: true },
    onEvent: (e) => events.push(`${e.type} ${String(e["key"] ?? "")}`),
  });
  expect(r3.error).toBeUndefined();
  expect(r3.status).toBe("completed");
  expect(r3.state.log).toEqual(["a", "b", "l1", "l2", "r1", "i1", "i2", "w", "w", "w"]);
  expect(r3.state.outputs).toMatchObject({ ask: "red", m: [2, 4, 6] });
  expect(events.filter((e) => e.startsWith("node.finished")).length).toBe(
    new Set(events.filter((e) => e.startsWith("node.finished"))).size,
  );
});
