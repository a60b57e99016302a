import { describe, expect, test } from "bun:test";
import type { NodeDefinition } from "atomic/workflows/graph";
import { executeGraph, graph, MemorySaver, waitNode } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { fail, logAnnotations, say, sayAfter, turns } from "../../../../tests/support/graph-kit.ts";
import { flaky, runAtOnce } from "../../../../tests/support/graph-runs.ts";

describe("onError", () => {
  const onError = (handler: NodeDefinition<LogState>["onError"]) =>
    graph(logAnnotations)
      .start(say("s"))
      .then(fail("bad", "broken", { onError: handler }))
      .then(say("next"))
      .end()
      .catch(say("rescue"))
      .compile();

  test("skip continues after the node, with its update", async () => {
    const bare = await onError(() => ({ action: "skip" })).execute();
    const fixed = await onError(() => ({ action: "skip", stateUpdate: { log: ["fixed"] } })).execute();

    expect(bare.log).toEqual(["s", "next"]);
    expect(fixed.log).toEqual(["s", "fixed", "next"]);
  });

  test("goto continues elsewhere, and passes the failure to that node", async () => {
    const seen: unknown[] = [];
    const compiled = graph(logAnnotations)
      .start(fail("bad", "broken", { onError: () => ({ action: "goto", nodeId: "other" }) }))
      .then(say("next"))
      .end()
      .catch(sayAfter("other", ({ failure }) => seen.push(failure)))
      .compile();

    expect((await compiled.execute()).log).toEqual(["other"]);
    expect(seen).toEqual([{ node: "bad", message: 'Node "bad" failed: broken', code: "NODE_FAILED" }]);
  });

  test("goto takes an update along, also when the run is resumed", async () => {
    const store = new MemorySaver();
    const node = fail("a", "broken", {
      onError: () => ({ action: "goto", nodeId: "rescue", stateUpdate: { log: ["handled"], total: 10 } }),
      targets: ["rescue"],
    });
    const compiled = graph(logAnnotations)
      .start(node)
      .then(say("never"))
      .then(waitNode({ id: "rescue", prompt: "?" }))
      .compile();

    const first = await executeGraph(compiled, { journal: { store, run: "r" } });
    const second = await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(first.state).toMatchObject({ log: ["handled"], total: 10 });
    expect(second).toMatchObject({ status: "completed", state: { log: ["handled"], total: 10 } });
  });

  test("retry after an invalid delay fails the run with both reasons", async () => {
    const { error } = await runAtOnce(
      fail("a", "broken", { onError: () => ({ action: "retry", delayMs: Number.NaN }) }),
    );

    expect(error?.message).toContain("broken (and its onError returned a delayMs of NaN)");
  });

  test("the id of a node is short for goto", async () => {
    expect((await onError("rescue").execute()).log).toEqual(["s", "rescue"]);
  });

  test("abort fails the run, with its own error when it has one", async () => {
    const abort = (error?: Error) =>
      graph(logAnnotations)
        .start(fail("bad", "broken", { onError: () => ({ action: "abort", error }) }))
        .compile();

    await expect(abort(new Error("on purpose")).execute()).rejects.toThrow('Node "bad" failed: on purpose');
    await expect(abort().execute()).rejects.toThrow('Node "bad" failed: broken');
  });

  test("abort leaves the failure to the graph's catch, where there is one", async () => {
    expect((await onError(() => ({ action: "abort" })).execute()).log).toEqual(["s", "rescue"]);
  });

  test("retry tries again after the pause it names", async () => {
    const tries: number[] = [];
    const node = flaky("a", 2, { onError: () => ({ action: "retry", delayMs: 70 }) }, tries);
    const { state, sleeps } = await runAtOnce(node);

    expect(tries).toEqual([1, 2, 3]);
    expect(sleeps).toEqual([70, 70]);
    expect(state.log).toEqual(["s", "a"]);
  });

  test("is asked once the retries are used up, with the last error and the context", async () => {
    const asked: string[] = [];
    const node = flaky("a", 9, {
      retry: { maxAttempts: 2, backoffMs: 1 },
      onError: (error, { state, attempt }) => {
        asked.push(`${error.message} ${state.log.join()} ${attempt.number}`);
        return { action: "skip" };
      },
    });
    const { state } = await runAtOnce(node);

    expect(asked).toEqual(["failure 2 s 2"]);
    expect(state.log).toEqual(["s"]);
  });

  test("may be async", async () => {
    const compiled = onError(async () => {
      await turns();
      return { action: "skip", stateUpdate: { log: ["late"] } };
    });

    expect((await compiled.execute()).log).toEqual(["s", "late", "next"]);
  });

  test("that throws, or decides nothing, fails the run with both reasons", async () => {
    const uncaught = (handler: unknown) =>
      graph(logAnnotations)
        .start(fail("bad", "broken", { onError: handler as never }))
        .compile();
    const throwing = uncaught(() => {
      throw new Error("worse");
    });
    const silent = uncaught(() => undefined);
    const unknown = uncaught(() => ({ action: "pray" }));

    await expect(throwing.execute()).rejects.toThrow("broken (and its onError threw: worse)");
    await expect(silent.execute()).rejects.toThrow("broken (and its onError returned no action)");
    await expect(unknown.execute()).rejects.toThrow("broken (and its onError returned no action)");
  });

  test("that goes to a node that does not exist fails the run, naming both", async () => {
    const compiled = onError(() => ({ action: "goto", nodeId: "nowhere" }));

    await expect(compiled.execute()).rejects.toThrow('Node "bad" goes to "nowhere", and the graph has no such node.');
  });

  test("is not run again for a failure that was handled before a resume", async () => {
    const store = new MemorySaver();
    let handled = 0;
    const compiled = graph(logAnnotations)
      .start(
        fail("bad", "broken", {
          onError: () => {
            handled++;
            return { action: "skip", stateUpdate: { log: ["fixed"] } };
          },
        }),
      )
      .wait("continue?")
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });

    const { state } = await executeGraph(compiled, {
      journal: { store, run: "r", resume: true },
      answers: { "continue?": true },
    });

    expect(handled).toBe(1);
    expect(state.log).toEqual(["fixed"]);
  });
});
