import { describe, expect, test } from "bun:test";
import { crashEverywhere } from "atomic/testing";
import type { CompiledGraph, NodeFailure, ParallelNodeConfig } from "atomic/workflows/graph";
import {
  executeGraph,
  graph,
  mapNode,
  MemorySaver,
  parallelNode,
  subgraphNode,
  waitNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { createGate, fail, logAnnotations, say, sayAfter } from "../../../../tests/support/graph-kit.ts";

type Parallel = Omit<ParallelNodeConfig<LogState>, "id">;

/** A parallel node between two others, with a catch that records the failure it gets. */
function caught(parallel: Parallel): { compiled: CompiledGraph<LogState>; failures: (NodeFailure | undefined)[] } {
  const failures: (NodeFailure | undefined)[] = [];
  const compiled = graph(logAnnotations)
    .start(say("s"))
    .parallel(parallel)
    .then(say("after"))
    .catch(sayAfter("rescue", ({ failure }) => failures.push(failure)))
    .compile();
  return { compiled, failures };
}

type Branches = ParallelNodeConfig<LogState>["branches"];
const all = (id: string, branches: Branches) => parallelNode<LogState>({ id, branches });
const any = (branches: Branches) => parallelNode<LogState>({ id: "any", strategy: "any", branches });

describe("a failure in a parallel node that the graph's catch handles", () => {
  const cases: Record<string, { parallel: Parallel; log: string[]; failed: string }> = {
    "in one branch: the others come to their end first": {
      parallel: { branches: [[say("a"), fail("bad", "broken"), say("never")], [say("b"), say("c")], say("d")] },
      log: ["s", "a", "b", "c", "d", "rescue"],
      failed: "bad",
    },
    "in several branches: the handler runs once, for the one declared first": {
      parallel: { branches: [[say("a"), say("b"), fail("late", "x")], fail("early", "y"), say("c")] },
      log: ["s", "a", "b", "c", "rescue"],
      failed: "late",
    },
    "with one branch at a time": {
      parallel: { branches: [fail("bad", "x"), say("b"), say("c")], concurrency: 1 },
      log: ["s", "b", "c", "rescue"],
      failed: "bad",
    },
    "in a parallel node inside another": {
      parallel: {
        branches: [
          [all("x", [fail("bad", "x"), say("a")]), say("never")],
          [say("b"), all("y", [say("c"), say("d")]), say("e")],
        ],
      },
      log: ["s", "a", "b", "c", "d", "e", "rescue"],
      failed: "bad",
    },
    "in a subgraph": {
      parallel: {
        branches: [
          subgraphNode<LogState>({
            id: "sub",
            subgraph: graph(logAnnotations).start(say("x")).then(fail("bad", "x")).compile(),
          }),
          say("b"),
        ],
      },
      log: ["s", "b", "rescue"],
      failed: "sub",
    },
    "in an item of a map": {
      parallel: {
        branches: [
          [say("a"), mapNode<LogState>({ id: "each", items: () => [1, 2, 3], node: fail("item", "x") })],
          [say("b"), say("c")],
        ],
      },
      log: ["s", "a", "b", "c", "rescue"],
      failed: "each",
    },
    "in the branch that ends a race first": {
      parallel: { strategy: "race", branches: [fail("bad", "x"), sayAfter("slow", ({ signal }) => aborted(signal))] },
      log: ["s", "rescue"],
      failed: "bad",
    },
    "in every branch of which any would do": {
      parallel: { branches: [any([fail("bad", "x"), fail("worse", "y")]), say("b")] },
      log: ["s", "b", "rescue"],
      failed: "any",
    },
  };

  test.each(Object.keys(cases))("%s", async (name) => {
    const { parallel, log, failed } = cases[name] as (typeof cases)[string];
    const { compiled, failures } = caught(parallel);
    const { status, state } = await executeGraph(compiled, { journal: { store: new MemorySaver(), run: "r" } });

    expect({ status, log: state.log }).toEqual({ status: "completed", log });
    expect(failures.map((failure) => failure?.node)).toEqual([failed]);
    expect((await compiled.execute()).log).toEqual(log);
    if (parallel.strategy === undefined) await crashEverywhere(caught(parallel).compiled);
  });

  test("does not reach the catch while another branch of which any will do is left", async () => {
    const { compiled, failures } = caught({ strategy: "any", branches: [fail("bad", "x"), say("good")] });

    expect((await compiled.execute()).log).toEqual(["s", "good", "after"]);
    expect(failures).toEqual([]);
    await crashEverywhere(compiled);
  });

  test("gives up a branch of an outer node of which any will do, when every branch of an inner one failed", async () => {
    const { compiled, failures } = caught({
      strategy: "any",
      branches: [any([fail("bad", "x"), fail("worse", "y")]), say("good")],
    });

    expect((await compiled.execute()).log).toEqual(["s", "good", "after"]);
    expect(failures).toEqual([]);
  });

  test("skips the author's merge, which expects every branch", async () => {
    const { compiled } = caught({
      branches: { a: say("a"), b: fail("bad", "x") },
      merge: (results) => ({ log: [`merged ${(results.get("b") as LogState).log.length}`] }),
    });

    expect((await compiled.execute()).log).toEqual(["s", "a", "rescue"]);
  });

  test("waits for a question of another branch, also when the run is resumed", async () => {
    const failures: unknown[] = [];
    const build = () =>
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ branches: [fail("bad", "x"), [waitNode<LogState>({ id: "ask", prompt: "?" }), say("b")]] })
        .then(say("after"))
        .catch(sayAfter("rescue", ({ failure }) => failures.push(failure?.node)))
        .compile();
    for (const snapshotEvery of [1, 1000]) {
      const store = new MemorySaver();
      const first = await executeGraph(build(), { journal: { store, run: "r" }, snapshotEvery });
      expect(first).toMatchObject({ status: "paused", reason: "needs-human" });
      const journal = { store, run: "r", resume: true };
      const done = await executeGraph(build(), { journal, snapshotEvery, answers: { "?": 1 } });

      expect(done.state.log).toEqual(["s", "b", "rescue"]);
      expect(failures.splice(0)).toEqual(["bad"]);
    }
  });

  test("fails the run when the handler fails, and only then", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: [fail("bad", "x"), fail("bad2", "y")] })
      .then(say("after"))
      .catch(fail("rescue", "worse"))
      .compile();

    await expect(compiled.execute()).rejects.toThrow('Node "rescue" failed: worse');
  });
});

/** Resolves when the branch is given up. */
function aborted(signal: AbortSignal): Promise<void> {
  const gate = createGate();
  signal.addEventListener("abort", () => gate.open());
  return gate.opened;
}
