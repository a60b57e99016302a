import { describe, expect, test } from "bun:test";
import { compileGraphConfig, createNode, executeGraph, graph, parallelNode, waitNode } from "atomic/workflows/graph";
import { MemorySaver } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, createBarrier, logAnnotations, say, sayAfter } from "../../../../tests/support/graph-kit.ts";

interface LoopState extends LogState {
  maxIterationsReached?: boolean;
}

describe("graph.loop()", () => {
  test("repeats its body until the condition holds", async () => {
    const state = await graph(logAnnotations)
      .start(say("s"))
      .loop([say("a"), say("b")], { until: ({ total }) => total >= 5 })
      .then(say("end"))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "a", "b", "a", "b", "end"]);
    expect(state).not.toHaveProperty("maxIterationsReached");
  });

  test("runs its body once even when the condition holds from the start", async () => {
    const state = await graph(logAnnotations)
      .start(say("s"))
      .loop(say("a"), { until: () => true })
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "a"]);
  });

  test("takes its body as one node, as a list, and as arguments", async () => {
    const until = ({ total }: LogState): boolean => total >= 3;
    const one = graph(logAnnotations).start(say("s")).loop(say("a"), { until });
    const list = graph(logAnnotations)
      .start(say("s"))
      .loop([say("a"), say("b")], { until });
    const spread = graph(logAnnotations).start(say("s")).loop(say("a"), say("b"), { until });

    expect((await one.compile().execute()).log).toEqual(["s", "a", "a"]);
    expect((await list.compile().execute()).log).toEqual(["s", "a", "b"]);
    expect((await spread.compile().execute()).log).toEqual(["s", "a", "b"]);
  });

  test("leaves after maxIterations and says so in the state", async () => {
    const state: LoopState = await graph(logAnnotations)
      .start(say("s"))
      .loop(say("a"), { until: () => false, maxIterations: 3 })
      .then(say("end"))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "a", "a", "a", "end"]);
    expect(state.maxIterationsReached).toBe(true);
  });

  test("does not say so when the last iteration allowed is the one that satisfies it", async () => {
    const state: LoopState = await graph(logAnnotations)
      .start(say("s"))
      .loop(say("a"), { until: ({ total }) => total === 4, maxIterations: 3 })
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "a", "a", "a"]);
    expect(state.maxIterationsReached).toBeUndefined();
  });

  const until250 = (maxIterations?: number) =>
    graph(logAnnotations)
      .start(say("s"))
      .loop(say("a"), { until: ({ total }) => total > 250, maxIterations })
      .then(say("end"))
      .compile();

  test("without its own limit pauses at the run's, 100 by default: unfinished work is not success", async () => {
    const { status, reason, error, state } = await executeGraph(until250());

    expect([status, reason, state.total]).toEqual(["paused", "budget", 101]);
    expect(state).not.toHaveProperty("maxIterationsReached");
    expect(error).toMatchObject({ code: "STEP_LIMIT", details: { node: "loop-1", maxIterations: 100 } });
    expect((await executeGraph(until250(), { runtime: { maxIterations: 7 } })).state.total).toBe(8);
    expect((await until250(0).execute()).total).toBe(252);
    await expect(until250().execute()).rejects.toMatchObject({ code: "STEP_LIMIT" });
  });

  test("continues when the run's limit is raised and the run is resumed, also after a kill beyond the old one", async () => {
    const store = new MemorySaver();
    const run = (resume: boolean, maxIterations?: number, signal?: AbortSignal) =>
      executeGraph(until250(), { journal: { store, run: "r", resume }, runtime: { maxIterations }, signal });

    expect((await run(false)).state.total).toBe(101);
    expect((await run(true)).state.total).toBe(101);
    expect((await run(true, 150)).state.total).toBe(151);
    // With the old limit it stands where it stood.
    expect(await run(true)).toMatchObject({ status: "paused", reason: "budget", state: { total: 151 } });
    const last = await run(true, 0);

    expect([last.status, last.state.total, last.steps]).toEqual(["completed", 252, 252]);
    expect((await collect(store.read("r"))).filter(({ type }) => type === "node.finished")).toHaveLength(252);
  });

  test("numbers its visits from 1", async () => {
    const visits: number[] = [];
    await graph(logAnnotations)
      .start(say("s"))
      .loop(
        sayAfter("a", ({ visit }) => visits.push(visit)),
        { until: ({ total }) => total > 3 },
      )
      .compile()
      .execute();

    expect(visits).toEqual([1, 2, 3]);
  });

  test("can follow another loop, each with a separate count", async () => {
    const state = await graph(logAnnotations)
      .start(say("s"))
      .loop(say("a"), { until: () => false, maxIterations: 2 })
      .loop(say("b"), { until: () => false, maxIterations: 3 })
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "a", "a", "b", "b", "b"]);
  });

  test("counts anew each time it is entered", async () => {
    const again = createNode<LogState>({
      id: "again",
      targets: ["s"],
      execute: ({ visit }) => (visit < 2 ? { goto: "s" } : {}),
    });
    const state = await graph(logAnnotations)
      .start(say("s"))
      .loop(say("a"), { until: () => false, maxIterations: 2 })
      .then(again)
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "a", "a", "s", "a", "a"]);
  });

  test("can hold branches, which meet before the condition is looked at", async () => {
    const looked: string[][] = [];
    const barriers = [createBarrier(2), createBarrier(2)];
    let round = 0;
    const meet = (): Promise<void> | undefined => barriers[Math.floor(round++ / 2)]?.meet();
    const fan = parallelNode<LogState>({ id: "fan", branches: [sayAfter("x", meet), sayAfter("y", meet)] });

    const state = await graph(logAnnotations)
      .start(say("s"))
      .loop(fan, {
        until: ({ log, total }) => {
          looked.push(log);
          return total > 4;
        },
      })
      .compile()
      .execute();

    expect(looked).toEqual([
      ["s", "x", "y"],
      ["s", "x", "y", "x", "y"],
    ]);
    expect(state.log).toEqual(["s", "x", "y", "x", "y"]);
  });

  test("in a branch does not hold up the others, and joins them", async () => {
    const inner = graph(logAnnotations)
      .start(say("i"))
      .loop(say("a"), { until: ({ total }) => total > 2 })
      .compile();
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: { loop: inner, other: say("o") }, merge: (results) => ({ log: [...results.keys()] }) })
      .then(say("end"))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "loop", "other", "end"]);
  });

  test("continues where it stood when a run is resumed inside it", async () => {
    const store = new MemorySaver();
    let runs = 0;
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .loop([sayAfter("a", () => runs++), waitNode<LogState>({ id: "ask", prompt: (s) => `round ${s.total}?` })], {
        until: () => false,
        maxIterations: 3,
      })
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    const resume = (answers: Record<string, boolean>) =>
      executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers });

    const second = await resume({ "round 2?": true });
    expect(second.questions.map(({ text }) => text)).toEqual(["round 3?"]);
    const last = await resume({ "round 3?": true, "round 4?": true });

    expect(last.status).toBe("completed");
    expect(last.state.log).toEqual(["s", "a", "a", "a"]);
    expect(last.state).toMatchObject({ maxIterationsReached: true });
    expect(runs).toBe(3);
  });
});

describe("a loop drawn with edges", () => {
  const build = (maxIterations: number | undefined, rounds: number) =>
    compileGraphConfig<LogState>({
      startNode: "a",
      nodes: [say("a"), say("b"), say("end")],
      edges: [
        { from: "a", to: "b" },
        { from: "b", to: "a", condition: ({ total }) => total < rounds * 2 },
        { from: "b", to: "end" },
      ],
      stateAnnotations: logAnnotations,
      maxIterations,
    });

  test("goes back while its condition holds", async () => {
    expect((await build(undefined, 3).execute()).log).toEqual(["a", "b", "a", "b", "a", "b", "end"]);
  });

  test("pauses at maxIterations with an error that names the node and the limit", async () => {
    const { status, reason, error, state } = await executeGraph(build(5, 1000));

    expect([status, reason]).toEqual(["paused", "budget"]);
    expect(error).toMatchObject({ code: "STEP_LIMIT", details: { node: "a", maxIterations: 5 } });
    expect(error?.message).toContain('Node "a" was reached 5 times');
    expect(state.total).toBe(10);
  });

  test("continues when maxIterations is raised and the run is resumed", async () => {
    const store = new MemorySaver();
    const run = (resume: boolean, maxIterations: number) =>
      executeGraph(build(maxIterations, 7), { journal: { store, run: "r", resume } });

    expect((await run(false, 5)).status).toBe("paused");
    expect((await run(true, 5)).status).toBe("paused");
    const raised = await run(true, 10);

    expect([raised.status, raised.state.total]).toEqual(["completed", 15]);
  });

  test("is limited by the run when it says nothing, to 100 by default, and not at all by 0", async () => {
    const stopped = await executeGraph(build(undefined, 1000));
    const three = await executeGraph(build(undefined, 1000), { runtime: { maxIterations: 3 } });

    expect(stopped.error?.message).toContain("was reached 100 times");
    expect(three.error?.message).toContain("was reached 3 times");
    expect((await build(0, 1000).execute()).total).toBe(2001);
    expect((await executeGraph(build(undefined, 200), { runtime: { maxIterations: 0 } })).state.total).toBe(401);
  });
});
