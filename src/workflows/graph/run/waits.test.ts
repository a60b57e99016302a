import { describe, expect, test } from "bun:test";
import type { ExecuteOptions } from "atomic/workflows/graph";
import { createWaitNode, executeGraph, graph, mapNode, subgraphNode, waitNode } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, createGate, logAnnotations, say, sayAfter, summary } from "../../../../tests/support/graph-kit.ts";
import { ask, recorded } from "../../../../tests/support/graph-runs.ts";

describe("a wait", () => {
  test("suspends the run, and the answer resumes it", async () => {
    const { go } = recorded(graph(logAnnotations).start(say("a")).then(ask("ask", "who?")).then(say("b")).compile());
    const paused = await go();

    expect(paused).toMatchObject({ status: "paused", reason: "needs-human", open: ["who?"], state: { log: ["a"] } });
    expect(await go({ answers: { "who?": "me" } })).toMatchObject({
      status: "completed",
      state: { log: ["a", "me", "b"] },
    });
  });

  test("keeps waiting until there is an answer", async () => {
    const { go } = recorded(graph(logAnnotations).start(ask("ask", "who?")).compile());

    for (let i = 0; i < 3; i++) expect(await go()).toMatchObject({ status: "paused", open: ["who?"] });
    expect((await go({ answers: { "who?": "me" } })).state.log).toEqual(["me"]);
  });

  test("is asked once, however often the run is resumed", async () => {
    const { go, store } = recorded(graph(logAnnotations).start(ask("ask", "who?")).compile());
    for (let i = 0; i < 3; i++) await go();
    const asked = summary(await collect(store.read("r"))).filter((event) => event.startsWith("question.asked"));

    expect(asked).toHaveLength(1);
  });

  test("in a branch lets the others continue first", async () => {
    const { go } = recorded(
      graph(logAnnotations)
        .start(say("s"))
        .parallel({
          branches: { left: [say("l1"), ask("ask", "who?"), say("l2")], right: [say("r1"), say("r2"), say("r3")] },
        })
        .then(say("end"))
        .compile(),
    );
    const paused = await go();

    expect(paused).toMatchObject({ status: "paused", open: ["who?"], state: { log: ["s", "l1", "r1", "r2", "r3"] } });
    expect((await go({ answers: { "who?": "me" } })).state.log).toEqual([
      "s",
      "l1",
      "me",
      "l2",
      "r1",
      "r2",
      "r3",
      "end",
    ]);
  });

  test("in several branches is answered one by one, in any order", async () => {
    const build = () =>
      recorded(
        graph(logAnnotations)
          .start(say("s"))
          .parallel({
            branches: { a: [ask("a1", "a?"), say("a2")], b: [ask("b1", "b?"), say("b2")], c: ask("c1", "c?") },
          })
          .then(say("end"))
          .compile(),
      );
    for (const order of ["abc", "cba", "bca"]) {
      const { go } = build();
      expect((await go()).open).toEqual(["a?", "b?", "c?"]);
      let last = await go();
      for (const name of order) last = await go({ answers: { [`${name}?`]: name.toUpperCase() } });

      expect(last.status).toBe("completed");
      expect(last.state.log).toEqual(["s", "A", "a2", "B", "b2", "C", "end"]);
    }
  });

  test("does not take a place from branches that could run", async () => {
    const { go } = recorded(
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ concurrency: 1, branches: [ask("a", "a?"), ask("b", "b?"), say("c")] })
        .compile(),
    );

    expect(await go()).toMatchObject({ status: "paused", open: ["a?", "b?"], state: { log: ["s", "c"] } });
    expect((await go({ answers: { "a?": "A", "b?": "B" } })).state.log).toEqual(["s", "A", "B", "c"]);
  });

  test("in a subgraph, and in a subgraph of a subgraph", async () => {
    const inmost = graph(logAnnotations).start(say("i1")).then(ask("i2", "inner?")).compile();
    const out = { inputMapper: () => ({}), outputMapper: ({ log }: Readonly<LogState>) => ({ log }) };
    const middle = graph(logAnnotations)
      .start(say("m1"))
      .then(subgraphNode({ id: "m2", subgraph: inmost, ...out }))
      .then(say("m3"))
      .compile();
    const { go } = recorded(
      graph(logAnnotations)
        .start(say("s"))
        .then(subgraphNode({ id: "sub", subgraph: middle, ...out }))
        .then(say("end"))
        .compile(),
    );

    expect(await go()).toMatchObject({ status: "paused", open: ["inner?"] });
    expect((await go({ answers: { "inner?": "I" } })).state.log).toEqual(["s", "m1", "i1", "I", "m3", "end"]);
  });

  test("in a loop, anew in each iteration", async () => {
    const { go } = recorded(
      graph(logAnnotations)
        .start(say("s"))
        .loop([ask("ask", "next?"), say("work")], { until: ({ log }) => log.includes("stop") })
        .compile(),
    );
    await go();
    expect(await go({ answers: {} })).toMatchObject({ status: "paused" });
    await answerNext(go, "one");
    await answerNext(go, "two");
    const last = await answerNext(go, "stop");

    expect(last.state.log).toEqual(["s", "one", "work", "two", "work", "stop", "work"]);
  });

  test("in each item of a map", async () => {
    const { go } = recorded(
      graph(logAnnotations)
        .start(
          mapNode({
            id: "map",
            items: () => ["x", "y"],
            node: waitNode({ id: "each", prompt: ({ item }) => `${item as string}?` }),
          }),
        )
        .compile(),
    );

    expect((await go()).open).toEqual(["x?", "y?"]);
    expect((await go({ answers: { "y?": "Y" } })).open).toEqual(["x?"]);
    expect((await go({ answers: { "x?": "X" } })).state.outputs).toEqual({ map: ["X", "Y"] });
  });

  test("beside a node that sleeps suspends nothing until that is done", async () => {
    const gate = createGate();
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: [ask("ask", "who?"), sayAfter("busy", () => gate.opened)] })
      .compile();
    let isOver = false;
    const running = executeGraph(compiled).then((result) => {
      isOver = true;
      return result;
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(isOver).toBe(false);
    gate.open();

    expect((await running).state.log).toEqual(["s", "busy"]);
  });

  test("can ask what depends on the state", async () => {
    const { go } = recorded(
      graph(logAnnotations)
        .start(say("a"))
        .then(createWaitNode("ask", ({ log }) => `after ${log.join()}?`))
        .compile(),
    );

    expect((await go()).open).toEqual(["after a?"]);
  });
});

async function answerNext(
  go: (options?: ExecuteOptions<LogState>) => Promise<{ state: LogState; status: string }>,
  answer: string,
): Promise<{ state: LogState; status: string }> {
  let isGiven = false;
  return go({
    questions: () => {
      if (isGiven) return undefined;
      isGiven = true;
      return answer;
    },
  });
}
