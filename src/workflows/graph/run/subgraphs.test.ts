import { afterEach, describe, expect, test } from "bun:test";
import type { BaseState, CompiledSubgraph, Runtime } from "atomic/workflows/graph";
import {
  annotation,
  createNode,
  executeGraph,
  getWorkflowResolver,
  graph,
  MemorySaver,
  Reducers,
  resolveWorkflowRef,
  setWorkflowResolver,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";
import { runGraph } from "./execute.ts";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import {
  collect,
  createBarrier,
  fail,
  logAnnotations,
  say,
  sayAfter,
  summary,
} from "../../../../tests/support/graph-kit.ts";

interface Analysis extends BaseState {
  topic: string;
  found: string[];
}

const analysis = graph({ topic: annotation(""), found: annotation<string[]>([], Reducers.concat) })
  .start(toolNode({ id: "find", execute: ({ topic }) => [`${topic} 1`], outputMapper: (found) => ({ found }) }))
  .then(toolNode({ id: "find-more", execute: ({ topic }) => [`${topic} 2`], outputMapper: (found) => ({ found }) }))
  .compile();

afterEach(() => setWorkflowResolver(null));

describe("a subgraph by value", () => {
  test("gets its state from inputMapper, and outputMapper brings its last state back", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .then(
        subgraphNode({
          id: "analyse",
          subgraph: analysis,
          inputMapper: (state) => ({ topic: state.log.join() }),
          outputMapper: (sub, parent) => ({ log: sub.found, total: parent.total + 10 }),
        }),
      )
      .then(say("end"))
      .compile();

    expect(await compiled.execute()).toMatchObject({ log: ["s", "s 1", "s 2", "end"], total: 13 });
  });

  test("without mappers gets the outer state, and its last state lands in outputs", async () => {
    const inner = graph(logAnnotations).start(say("i")).compile();
    const state = await graph(logAnnotations)
      .start(say("s"))
      .then(subgraphNode({ id: "sub", subgraph: inner }))
      .compile()
      .execute();

    expect(state.log).toEqual(["s"]);
    expect(state.outputs["sub"]).toMatchObject({ log: ["s", "i"], total: 2, executionId: state.executionId });
  });

  test("fills what inputMapper leaves out with its own defaults", async () => {
    const inner = graph({ n: annotation(5), m: annotation(6) })
      .start(toolNode({ id: "add", execute: ({ n, m }) => n + m }))
      .compile();
    const state = await graph()
      .start(
        subgraphNode({
          id: "sub",
          subgraph: inner,
          inputMapper: () => ({ n: 1 }),
          outputMapper: (sub) => ({ outputs: { sum: sub.outputs["add"] } }),
        }),
      )
      .compile()
      .execute();

    expect(state.outputs).toEqual({ sum: 7 });
  });

  test("folds by its own reducers, not by those around it", async () => {
    const inner = graph<LogState>().start(say("i1")).then(say("i2")).compile();
    const state = await graph(logAnnotations)
      .start(say("s"))
      .then(subgraphNode({ id: "sub", subgraph: inner, outputMapper: ({ log }) => ({ log }) }))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "i2"]);
  });

  test("can be any object with execute", async () => {
    const plain: CompiledSubgraph<{ n: number }> = { execute: async ({ n }) => ({ n: n * 2 }) };
    const state = await graph({ n: annotation(4) })
      .start(
        subgraphNode({
          id: "double",
          subgraph: plain,
          inputMapper: ({ n }) => ({ n }),
          outputMapper: ({ n }) => ({ n }),
        }),
      )
      .compile()
      .execute();

    expect(state.n).toBe(8);
  });

  test("that fails makes the node fail, and its error names both", async () => {
    const inner = graph<LogState>().start(fail("deep", "broken")).compile();
    const compiled = graph<LogState>()
      .start(subgraphNode({ id: "sub", subgraph: inner }))
      .compile();

    await expect(compiled.execute()).rejects.toThrow(/Node "sub" failed: Node "deep" failed: broken/);
  });

  test("that failed starts anew when the node is tried again", async () => {
    let tries = 0;
    const inner = graph(logAnnotations)
      .start(say("i1"))
      .then(
        sayAfter("i2", () => {
          if (++tries < 3) throw new Error("not yet");
        }),
      )
      .compile();
    const compiled = graph(logAnnotations)
      .start(
        subgraphNode({
          id: "sub",
          subgraph: inner,
          outputMapper: ({ log }) => ({ log }),
          retry: { maxAttempts: 3, backoffMs: 0 },
        }),
      )
      .compile();
    const { state } = await executeGraph(compiled, { journal: { store: new MemorySaver(), run: "r" } });

    expect(tries).toBe(3);
    expect(state.log).toEqual(["i1", "i2"]);
  });

  test("has its branches run at the same time as those around it", async () => {
    const barrier = createBarrier(3);
    const inner = graph(logAnnotations)
      .start(say("i"))
      .parallel({ branches: [sayAfter("i1", barrier.meet), sayAfter("i2", barrier.meet)] })
      .compile();
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({
        branches: [
          subgraphNode({ id: "sub", subgraph: inner, inputMapper: () => ({}), outputMapper: ({ log }) => ({ log }) }),
          sayAfter("o", barrier.meet),
        ],
      })
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "i", "i1", "i2", "o"]);
  });

  test("has its own records, and is not run again once it is finished", async () => {
    const store = new MemorySaver();
    let runs = 0;
    const inner = graph(logAnnotations)
      .start(sayAfter("i1", () => runs++))
      .then(sayAfter("i2", () => runs++))
      .compile();
    const compiled = graph(logAnnotations)
      .start(subgraphNode({ id: "sub", subgraph: inner, outputMapper: ({ log }) => ({ log }) }))
      .then(waitNode({ id: "ask", prompt: "?" }))
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    const { state } = await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(runs).toBe(2);
    expect(state.log).toEqual(["i1", "i2"]);
    const finished = summary(await collect(store.read("r"))).filter((event) => event.startsWith("node.finished"));
    expect(finished).toEqual([
      "node.finished sub#1/i1#1",
      "node.finished sub#1/i2#1",
      "node.finished sub#1",
      "node.finished ask#1",
    ]);
  });

  test("that changed since it was recorded is refused on resume, with what to do", async () => {
    const store = new MemorySaver();
    const build = (id: string) =>
      graph<LogState>()
        .start(
          subgraphNode({
            id: "sub",
            subgraph: graph<LogState>()
              .start(waitNode({ id, prompt: "?" }))
              .compile({ name: "inner" }),
          }),
        )
        .compile({ name: "outer" });
    await executeGraph(build("first"), { journal: { store, run: "r" } });

    const resumed = executeGraph(build("second"), { journal: { store, run: "r", resume: true } });

    await expect(resumed).rejects.toMatchObject({ code: "GRAPH_CHANGED" });
  });
});

test("a subgraph by name that changed since it was recorded is refused on resume", async () => {
  const store = new MemorySaver();
  const inner = (id: string) =>
    graph<LogState>()
      .start(waitNode({ id, prompt: "?" }))
      .compile();
  const compiled = graph<LogState>()
    .start(subgraphNode({ id: "sub", subgraph: "inner" }))
    .compile();
  const run = (id: string, resume: boolean) =>
    executeGraph(compiled, { journal: { store, run: "r", resume }, runtime: { workflows: () => inner(id) } });
  await run("first", false);

  await expect(run("second", true)).rejects.toMatchObject({ code: "GRAPH_CHANGED" });
  expect((await run("first", true)).status).toBe("paused");
});

describe("a subgraph by name", () => {
  const byName = (name: string) =>
    graph(logAnnotations)
      .start(subgraphNode({ id: "sub", subgraph: name }))
      .compile({ name: "outer" });
  const workflows = (found: Record<string, CompiledSubgraph>): Partial<Runtime> => ({
    workflows: (name) => found[name] ?? null,
  });

  test("is looked up when the node runs, not when the graph is built", async () => {
    const asked: string[] = [];
    const compiled = byName("analysis");
    const runtime: Partial<Runtime> = {
      workflows: async (name) => {
        asked.push(name);
        return analysis;
      },
    };
    expect(asked).toEqual([]);

    const { state } = await executeGraph(compiled, { runtime, initialState: { log: [] } });

    expect(asked).toEqual(["analysis"]);
    expect(state.outputs["sub"]).toMatchObject({ found: [" 1", " 2"] });
  });

  test("that does not exist fails with the documents' text", async () => {
    const { error } = await executeGraph(byName("nope"), { runtime: workflows({}) });

    expect(error).toMatchObject({ code: "WORKFLOW_NOT_FOUND" });
    expect(error?.message).toContain("Workflow not found: nope");
  });

  test("without a resolver fails with the documents' text", async () => {
    const { error } = await executeGraph(byName("child"));

    expect(error).toMatchObject({ code: "RUNTIME_MISSING" });
    expect(error?.message).toContain(
      'Cannot resolve workflow "child": No workflow resolver set. Call setWorkflowResolver() during application initialization.',
    );
  });

  test("in a cycle fails with the whole circle", async () => {
    const refer = (own: string, other: string) =>
      graph<LogState>()
        .start(subgraphNode({ id: "sub", subgraph: other }))
        .compile({ name: own });
    const found: Record<string, CompiledSubgraph> = {};
    const a = refer("a", "b");
    found["a"] = a;
    found["b"] = refer("b", "c");
    found["c"] = refer("c", "b");

    const { error } = await executeGraph(a, { runtime: workflows(found) });

    expect(error).toMatchObject({ code: "WORKFLOW_CYCLE" });
    expect(error?.message).toContain("Circular workflow dependency detected: b -> c -> b");
  });

  test("that names its own graph is a cycle too", async () => {
    const found: Record<string, CompiledSubgraph> = {};
    const selfish = graph<LogState>()
      .start(subgraphNode({ id: "sub", subgraph: "a" }))
      .compile({ name: "a" });
    found["a"] = selfish;

    const { error } = await executeGraph(selfish, { runtime: workflows(found) });

    expect(error?.message).toContain("Circular workflow dependency detected: a -> a");
  });

  test("may be used twice in parallel, which is not a cycle", async () => {
    const compiled = graph(logAnnotations)
      .start(subgraphNode({ id: "one", subgraph: "analysis" }))
      .parallel({
        branches: [
          subgraphNode({ id: "two", subgraph: "analysis" }),
          subgraphNode({ id: "three", subgraph: "analysis" }),
        ],
      })
      .compile({ name: "outer" });
    const { status } = await executeGraph(compiled, {
      runtime: workflows({ analysis: analysis }),
    });

    expect(status).toBe("completed");
  });
});

describe("the process-wide resolver", () => {
  test("serves compiled.execute() and executeGraph(), but no run that gets its whole runtime", async () => {
    setWorkflowResolver((name) => (name === "analysis" ? analysis : null));
    const compiled = graph(logAnnotations)
      .start(subgraphNode({ id: "sub", subgraph: "analysis" }))
      .compile();

    expect((await compiled.execute()).outputs["sub"]).toMatchObject({ found: [" 1", " 2"] });
    expect((await executeGraph(compiled)).state.outputs["sub"]).toMatchObject({ found: [" 1", " 2"] });
    expect((await runGraph(compiled, {})).error).toMatchObject({ code: "RUNTIME_MISSING" });
    expect(getWorkflowResolver()?.("other")).toBeNull();
  });

  test("resolves at build time with resolveWorkflowRef", () => {
    setWorkflowResolver((name) => (name === "analysis" ? analysis : null));

    expect(resolveWorkflowRef("analysis")).toBe(analysis);
    expect(resolveWorkflowRef("other")).toBeNull();
  });

  test("finds cycles at build time", () => {
    setWorkflowResolver((name) => resolveWorkflowRef(name === "a" ? "b" : "a"));

    expect(() => resolveWorkflowRef("a")).toThrow("Circular workflow dependency detected: a -> b -> a");
    setWorkflowResolver(() => null);
    expect(resolveWorkflowRef("a")).toBeNull();
  });

  test("that is missing makes resolveWorkflowRef say so", () => {
    expect(() => resolveWorkflowRef("child")).toThrow('Cannot resolve workflow "child": No workflow resolver set.');
  });
});

describe("ctx.runSubgraph", () => {
  test("runs several graphs in one visit, each with its own records", async () => {
    const store = new MemorySaver();
    const node = createNode<LogState>({
      id: "twice",
      execute: async ({ runSubgraph }) => {
        const blank = { executionId: "", outputs: {}, found: [] };
        const one = await runSubgraph<Analysis>(analysis, { ...blank, topic: "a" });
        const two = await runSubgraph<Analysis>(analysis, { ...blank, topic: "b" });
        return { stateUpdate: { log: [...one.found, ...two.found] } };
      },
    });
    const { state } = await executeGraph(graph(logAnnotations).start(node).compile(), { journal: { store, run: "r" } });

    expect(state.log).toEqual(["a 1", "a 2", "b 1", "b 2"]);
    const keys = (await collect(store.read("r"))).filter(({ type }) => type === "node.finished").map(({ key }) => key);
    expect(new Set(keys).size).toBe(5);
  });
});

test("subgraphNode refuses anything but a graph at once", () => {
  expect(() => subgraphNode({ id: "sub", subgraph: {} } as never)).toThrow('subgraphNode "sub": `subgraph` must be');
  expect(() => subgraphNode({ id: "sub", subgraph: "" })).toThrow('subgraphNode "sub": `subgraph` must be');
  expect(() => subgraphNode("sub", undefined as never)).toThrow('subgraphNode "sub": `subgraph` must be');
  expect(() => subgraphNode({ subgraph: "x" } as never)).toThrow("subgraphNode: needs an id");
});
