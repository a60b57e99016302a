import { describe, expect, test } from "bun:test";
import { graph, parallelNode, toolNode } from "atomic/workflows/graph";
import { fail, logAnnotations, say, sayAfter } from "../../../../tests/support/graph-kit.ts";

describe("if, elseIf, else, endif", () => {
  const build = (total: number) =>
    graph(logAnnotations)
      .start(say("s"))
      .if((state) => state.total > 20)
      .then(say("big1"))
      .then(say("big2"))
      .elseIf((state) => state.total > 10)
      .then(say("middle"))
      .elseIf((state) => state.total > 5)
      .then(say("small"))
      .else()
      .then(say("tiny"))
      .endif()
      .then(say("end"))
      .compile()
      .execute({ total });

  test("take the first condition that holds", async () => {
    expect((await build(30)).log).toEqual(["s", "big1", "big2", "end"]);
    expect((await build(15)).log).toEqual(["s", "middle", "end"]);
    expect((await build(7)).log).toEqual(["s", "small", "end"]);
    expect((await build(0)).log).toEqual(["s", "tiny", "end"]);
  });

  test("without else continue after it when no condition holds", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .if(() => false)
      .then(say("a"))
      .endif()
      .then(say("end"))
      .compile();

    expect((await compiled.execute()).log).toEqual(["s", "end"]);
  });

  test("may be empty", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .if(() => true)
      .else()
      .endif()
      .then(say("end"))
      .compile();

    expect((await compiled.execute()).log).toEqual(["s", "end"]);
  });

  test("nest", async () => {
    const run = (total: number) =>
      graph(logAnnotations)
        .start(say("s"))
        .if((state) => state.total > 5)
        .if((state) => state.total > 10)
        .then(say("both"))
        .else()
        .then(say("outer"))
        .endif()
        .then(say("after"))
        .endif()
        .then(say("end"))
        .compile()
        .execute({ total });

    expect((await run(20)).log).toEqual(["s", "both", "after", "end"]);
    expect((await run(7)).log).toEqual(["s", "outer", "after", "end"]);
    expect((await run(0)).log).toEqual(["s", "end"]);
  });

  test("can hold a loop and branches", async () => {
    const state = await graph(logAnnotations)
      .start(say("s"))
      .if(() => true)
      .loop(say("a"), { until: ({ total }) => total > 2 })
      .parallel({ branches: [say("x"), say("y")] })
      .endif()
      .then(say("end"))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "a", "a", "x", "y", "end"]);
  });

  test("with end() in one branch lead the others on", async () => {
    const run = (total: number) =>
      graph(logAnnotations)
        .start(say("s"))
        .if((state) => state.total > 5)
        .then(say("stop"))
        .end()
        .else()
        .then(say("go"))
        .endif()
        .then(say("end"))
        .compile()
        .execute({ total });

    expect((await run(10)).log).toEqual(["s", "stop"]);
    expect((await run(0)).log).toEqual(["s", "go", "end"]);
  });
});

describe("catch", () => {
  test("gets every failure that no node handles itself", async () => {
    const seen: unknown[] = [];
    const state = await graph(logAnnotations)
      .start(say("s"))
      .then(fail("bad", "broken"))
      .then(say("never"))
      .catch(sayAfter("rescue", ({ failure }) => seen.push(failure)))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "rescue"]);
    expect(seen).toEqual([{ node: "bad", message: 'Node "bad" failed: broken', code: "NODE_FAILED" }]);
  });

  test("can name a node of the graph by its id", async () => {
    const state = await graph(logAnnotations)
      .start(fail("bad", "broken"))
      .then(say("never"))
      .then(say("end"))
      .catch("end")
      .compile()
      .execute();

    expect(state.log).toEqual(["end"]);
  });

  test("does not catch what fails in itself", async () => {
    const compiled = graph(logAnnotations).start(fail("bad", "broken")).catch(fail("rescue", "worse")).compile();

    await expect(compiled.execute()).rejects.toThrow('Node "rescue" failed: worse');
  });
});

describe("a builder", () => {
  test("gives parallel, wait, if and loop unique ids", () => {
    const compiled = graph(logAnnotations)
      .start(say("wait-1"))
      .wait("really?")
      .parallel({ branches: [say("parallel-2")] })
      .parallel({ branches: [say("b")] })
      .compile();

    expect([...compiled.nodes.keys()]).toEqual([
      "wait-1",
      "wait-2",
      "parallel-1",
      "parallel-1/join",
      "parallel-2",
      "parallel-3",
      "parallel-3/join",
      "b",
    ]);
  });

  test("takes ready nodes for parallel and wait", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel(parallelNode({ id: "fan", branches: { a: say("a"), b: [say("b"), say("c")] } }))
      .tool({ id: "count", execute: (state) => state.log.length, outputMapper: (total) => ({ total }) })
      .compile();

    expect(await compiled.execute()).toMatchObject({ log: ["s", "a", "b", "c"], total: 8 });
  });

  test("can be compiled more than once, and graphs that were compiled stay as they are", async () => {
    const builder = graph(logAnnotations).start(say("a"));
    const short = builder.compile();
    const long = builder.then(say("b")).compile();

    expect((await short.execute()).log).toEqual(["a"]);
    expect((await long.execute()).log).toEqual(["a", "b"]);
  });

  test("without annotations replaces what is updated", async () => {
    const compiled = graph<{ n: number; executionId: string; outputs: Record<string, unknown> }>()
      .start(toolNode({ id: "a", execute: () => 1, outputMapper: (n) => ({ n }) }))
      .then(toolNode({ id: "b", execute: ({ n }) => n + 1, outputMapper: (n) => ({ n }) }))
      .compile();

    expect((await compiled.execute({ n: 0 })).n).toBe(2);
  });
});
