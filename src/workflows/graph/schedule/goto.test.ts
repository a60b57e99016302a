import { describe, expect, test } from "bun:test";
import {
  AtomicError,
  compileGraphConfig,
  createDecisionNode,
  createNode,
  decisionNode,
  executeGraph,
  graph,
  MemorySaver,
  waitNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, logAnnotations, say } from "../../../../tests/support/graph-kit.ts";

/** Goes to `target` the first `times` it is visited. */
const jump = (id: string, target: string, times = 1) =>
  createNode<LogState>({
    id,
    targets: [target],
    execute: ({ visit }) => ({
      stateUpdate: { log: [id] },
      ...(visit <= times ? { goto: target } : {}),
    }),
  });

describe("goto", () => {
  test("goes to the node instead of following the edges, after the update", async () => {
    const state = await graph(logAnnotations).start(jump("a", "c")).then(say("b")).then(say("c")).compile().execute();

    expect(state.log).toEqual(["a", "c"]);
  });

  test("can go back, and counts the visits of what it comes to again", async () => {
    const state = await graph(logAnnotations)
      .start(say("a"))
      .then(say("b"))
      .then(jump("c", "a", 2))
      .compile()
      .execute();

    expect(state.log).toEqual(["a", "b", "c", "a", "b", "c", "a", "b", "c"]);
  });

  test("can go to the node itself", async () => {
    const state = await graph(logAnnotations)
      .start(jump("a", "a", 3))
      .compile()
      .execute();

    expect(state.log).toEqual(["a", "a", "a", "a"]);
  });

  test("to a node that does not exist fails the run, naming both", async () => {
    const lost = createNode<LogState>({ id: "a", execute: () => ({ stateUpdate: { log: ["a"] }, goto: "nowhere" }) });
    const { status, error, state } = await executeGraph(graph(logAnnotations).start(lost).compile());

    expect(status).toBe("failed");
    expect(AtomicError.is(error, "ROUTE_UNKNOWN")).toBe(true);
    expect(error?.message).toBe('Node "a" goes to "nowhere", and the graph has no such node.');
    expect(state.log).toEqual([]);
  });

  test("to a node that does not exist leaves no record of the node as finished", async () => {
    const store = new MemorySaver();
    const lost = createNode<LogState>({ id: "a", execute: () => ({ goto: "nowhere" }) });
    await executeGraph(graph(logAnnotations).start(lost).compile(), { journal: { store, run: "r" } });
    const types = (await collect(store.read("r"))).map(({ type }) => type);

    expect(types).not.toContain("node.finished");
    expect(types.at(-1)).toBe("run.finished");
  });

  test("stays in its branch, and joins the others later", async () => {
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: { left: [jump("l1", "l3"), say("l2"), say("l3")], right: [say("r1"), say("r2")] } })
      .then(say("end"))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "l1", "l3", "r1", "r2", "end"]);
  });

  test("repeats a part of a branch while the others wait where they join", async () => {
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: { left: [say("l1"), jump("l2", "l1", 2)], right: say("r1") } })
      .then(say("end"))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "l1", "l2", "l1", "l2", "l1", "l2", "r1", "end"]);
  });

  test("is recorded: a resumed run goes the same way", async () => {
    const store = new MemorySaver();
    let goes = 0;
    const chooser = createNode<LogState>({
      id: "a",
      targets: ["c"],
      execute: () => {
        goes++;
        return { goto: "c" };
      },
    });
    const compiled = graph(logAnnotations)
      .start(chooser)
      .then(say("b"))
      .then(say("c"))
      .then(waitNode({ id: "ask", prompt: "?" }))
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    const { state } = await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(state.log).toEqual(["c"]);
    expect(goes).toBe(1);
  });
});

describe("decisionNode", () => {
  test("goes to the target of the first route that holds, else to the fallback", async () => {
    const compiled = compileGraphConfig<LogState>({
      startNode: "choose",
      nodes: [
        decisionNode({
          id: "choose",
          routes: [
            { condition: (state) => state.total > 10, target: "big", label: "large" },
            { condition: async (state) => state.total > 5, target: "middle" },
          ],
          fallback: "small",
        }),
        say("big"),
        say("middle"),
        say("small"),
      ],
      edges: [],
      stateAnnotations: logAnnotations,
    });
    const run = async (total: number): Promise<string[]> => (await compiled.execute({ total })).log;

    expect(await run(20)).toEqual(["big"]);
    expect(await run(7)).toEqual(["middle"]);
    expect(await run(0)).toEqual(["small"]);
  });

  test("runs a condition once, and not again when the run is resumed", async () => {
    const store = new MemorySaver();
    let looks = 0;
    const compiled = graph(logAnnotations)
      .start(
        createDecisionNode(
          "choose",
          [
            {
              condition: () => {
                looks++;
                return true;
              },
              target: "ask",
            },
          ],
          "ask",
        ),
      )
      .then(waitNode({ id: "ask", prompt: "?" }))
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(looks).toBe(1);
  });

  test("refuses wrong options at once", () => {
    expect(() => decisionNode({ id: "d" } as never)).toThrow('decisionNode "d": needs `routes`');
    expect(() => decisionNode({ id: "d", routes: [] } as never)).toThrow("`fallback`");
    expect(() => decisionNode({ id: "d", routes: [{ target: "x" }], fallback: "y" } as never)).toThrow(
      'decisionNode "d": routes[0]',
    );
    expect(() => decisionNode({ id: "d", routes: [{ condition: () => true }], fallback: "y" } as never)).toThrow(
      'decisionNode "d": routes[0]',
    );
  });
});
