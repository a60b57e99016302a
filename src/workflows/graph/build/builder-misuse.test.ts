import { describe, expect, test } from "bun:test";
import { AtomicError, createNode, graph } from "atomic/workflows/graph";
import { logAnnotations, say } from "../../../../tests/support/graph-kit.ts";

function thrownBy(call: () => unknown): AtomicError {
  try {
    call();
  } catch (thrown) {
    if (AtomicError.is(thrown)) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("wrong use of the builder throws at once and names the call", () => {
  const misuses: readonly [string, () => unknown, string][] = [
    [
      "start twice",
      () =>
        graph()
          .start(say("a") as never)
          .start(say("b") as never),
      'graph.start(): the graph already starts at "a"',
    ],
    ["then before start", () => graph(logAnnotations).then(say("a")), "graph.then(): the graph has no start yet"],
    [
      "tool before start",
      () => graph().tool({ id: "a", execute: () => 1 }),
      "graph.tool(): the graph has no start yet",
    ],
    [
      "subagent before start",
      () => graph().subagent({ id: "a", agent: "x", task: "y" }),
      "graph.subagent(): the graph has no start yet",
    ],
    ["if before start", () => graph().if(() => true), "graph.if(): the graph has no start yet"],
    [
      "loop before start",
      () => graph(logAnnotations).loop(say("a"), { until: () => true }),
      "graph.loop(): the graph has no start yet",
    ],
    [
      "parallel before start",
      () => graph(logAnnotations).parallel({ branches: [say("a")] }),
      "graph.parallel(): the graph has no start yet",
    ],
    ["wait before start", () => graph().wait("?"), "graph.wait(): the graph has no start yet"],
    ["end before start", () => graph().end(), "graph.end(): the graph has no start yet"],
    [
      "compile without start",
      () => graph().compile(),
      "graph.compile(): the graph has no start; call start(node) first",
    ],
    [
      "the same id twice",
      () => graph(logAnnotations).start(say("a")).then(say("a")),
      'graph.then(): there is already a node "a"',
    ],
    [
      "the same id in a loop",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .loop([say("b"), say("a")], { until: () => true }),
      'graph.loop(): there is already a node "a"',
    ],
    [
      "the same id in catch",
      () => graph(logAnnotations).start(say("a")).catch(say("a")),
      'graph.catch(): there is already a node "a"',
    ],
    [
      "the same id in a branch",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .parallel({ branches: [[say("b"), say("a")]] }),
      'graph.parallel(): there is already a node "a"',
    ],
    ["else without if", () => graph(logAnnotations).start(say("a")).else(), "graph.else(): there is no if before it"],
    [
      "elseIf without if",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .elseIf(() => true),
      "graph.elseIf(): there is no if before it",
    ],
    [
      "endif without if",
      () => graph(logAnnotations).start(say("a")).endif(),
      "graph.endif(): there is no if before it",
    ],
    [
      "endif twice",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .if(() => true)
          .then(say("b"))
          .endif()
          .endif(),
      "graph.endif(): there is no if before it",
    ],
    [
      "else twice",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .if(() => true)
          .then(say("b"))
          .else()
          .else(),
      "graph.else(): it comes after else()",
    ],
    [
      "elseIf after else",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .if(() => true)
          .then(say("b"))
          .else()
          .elseIf(() => true),
      "graph.elseIf(): it comes after else()",
    ],
    [
      "an if that is not closed",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .if(() => true)
          .then(say("b"))
          .compile(),
      "graph.compile(): an if is not closed; call endif()",
    ],
    [
      "two ifs that are not closed",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .if(() => true)
          .if(() => true)
          .compile(),
      "graph.compile(): 2 ifs are not closed; call endif()",
    ],
    [
      "an if without a condition",
      () =>
        graph()
          .start(say("a") as never)
          .if(undefined as never),
      "graph.if(): needs a condition",
    ],
    [
      "an elseIf without a condition",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .if(() => true)
          .elseIf("x" as never),
      "graph.elseIf(): needs a condition",
    ],
    [
      "an empty loop",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .loop([], { until: () => true }),
      "graph.loop(): its body is empty",
    ],
    [
      "a loop without until",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .loop(say("b"), {} as never),
      "graph.loop(): needs { until }",
    ],
    [
      "a loop without settings",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .loop(say("b"), undefined as never),
      "graph.loop(): needs { until }",
    ],
    [
      "a loop with a wrong limit",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .loop(say("b"), { until: () => true, maxIterations: -1 }),
      "graph.loop(): maxIterations must be a whole number of at least 0, not -1",
    ],
    ["what is not a node", () => graph().start("a" as never), "graph.start(): needs a node"],
    [
      "no node at all",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .then(undefined as never),
      "graph.then(): needs a node",
    ],
    [
      "a parallel without branches",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .parallel({} as never),
      "needs `branches`",
    ],
    [
      "nothing for a parallel",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .parallel(undefined as never),
      "graph.parallel(): needs",
    ],
    [
      "nothing for a wait",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .wait(undefined as never),
      "graph.wait(): needs",
    ],
    [
      "nothing for a catch",
      () =>
        graph(logAnnotations)
          .start(say("a"))
          .catch(undefined as never),
      "graph.catch(): needs a node",
    ],
    [
      "two catches",
      () => graph(logAnnotations).start(say("a")).catch(say("b")).catch(say("c")),
      'graph.catch(): the graph already has a catch, "b"',
    ],
    [
      "something after the end",
      () => graph(logAnnotations).start(say("a")).end().then(say("b")),
      'graph.then(): nothing leads to "b"',
    ],
    [
      "invalid annotations",
      () =>
        graph({ a: 1 } as never)
          .start(say("a") as never)
          .compile(),
      "stateAnnotations.a: is not an annotation",
    ],
  ];

  for (const [what, call, text] of misuses) {
    test(what, () => {
      const thrown = thrownBy(call);

      expect(thrown.message).toContain(text);
      expect(["BUILDER_MISUSE", "GRAPH_INVALID"]).toContain(thrown.code);
    });
  }

  test("every fault of the graph as a whole comes in one error of compile", () => {
    const dangling = createNode({ id: "a", targets: ["nowhere"], onError: "nobody", execute: () => {} });

    expect(thrownBy(() => graph().start(dangling).catch("lost").compile()).message.split("\n")).toEqual([
      "The graph can't be compiled, 3 faults:",
      '  node "a": goes to "nobody", and there is no such node',
      '  node "a": goes to "nowhere", and there is no such node',
      '  catch: there is no node "lost"',
    ]);
  });
});

test("a builder that is awaited says what to do instead", async () => {
  const builder: unknown = graph(logAnnotations).start(say("a"));
  const create = async (): Promise<unknown> => builder;

  await expect(create()).rejects.toThrow("graph.then(): a builder can't be awaited, or returned by an async function");
});
