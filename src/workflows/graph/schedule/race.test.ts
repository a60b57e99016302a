import { describe, expect, test } from "bun:test";
import type { StateUpdate } from "atomic/workflows/graph";
import { executeGraph, graph, MemorySaver, parallelNode, waitNode } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import {
  collect,
  createGate,
  fail,
  logAnnotations,
  say,
  sayAfter,
  summary,
  turns,
} from "../../../../tests/support/graph-kit.ts";

describe('strategy "race"', () => {
  test("continues with the first branch to finish and nothing of the others", async () => {
    const never = createGate();
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ strategy: "race", branches: [[say("slow1"), sayAfter("slow2", () => never.opened)], say("quick")] })
      .then(say("end"))
      .compile();

    // The loser ignores its signal, so waiting for it is useless.
    const { state } = await executeGraph(compiled, { graceMs: 0 });

    expect(state.log).toEqual(["s", "quick", "end"]);
    expect(state.total).toBe(3);
  });

  test("does not ask a loser's question that was still being stored", async () => {
    const asking = createGate();
    const stored = createGate();
    const store = new MemorySaver();
    const open = store.open.bind(store);
    store.open = async (...given) => {
      const handle = await open(...given);
      const append = handle.append.bind(handle);
      handle.append = async (events) => {
        if (events.some(({ type }) => type === "question.asked")) {
          asking.open();
          await stored.opened;
        }
        return append(events);
      };
      return handle;
    };
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({
        strategy: "race",
        branches: [
          sayAfter("loser", ({ ask }) => ask("who?")),
          sayAfter("quick", async () => {
            await asking.opened;
            // By then the race is decided, and only the store keeps the next node waiting.
            void turns().then(stored.open);
          }),
        ],
      })
      .then(say("end"))
      .compile();

    const { status, state, questions } = await executeGraph(compiled, { journal: { store, run: "r" } });

    expect({ status, log: state.log, questions }).toEqual({
      status: "completed",
      log: ["s", "quick", "end"],
      questions: [],
    });
  });

  test("stops the losers through their signal", async () => {
    const started = createGate();
    const stopped = createGate();
    const loser = sayAfter("loser", ({ signal }) => {
      signal.addEventListener("abort", stopped.open);
      started.open();
      return stopped.opened;
    });

    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ strategy: "race", branches: [loser, sayAfter("winner", () => started.opened)] })
      .compile()
      .execute();

    await stopped.opened;
    expect(state.log).toEqual(["s", "winner"]);
  });

  test("does not start branches that still wait for a place when it is decided", async () => {
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ strategy: "race", concurrency: 1, branches: [say("first"), fail("second", "must not run")] })
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "first"]);
  });

  test("neither retries a loser nor asks its error handler", async () => {
    const started = createGate();
    const handled: string[] = [];
    let tries = 0;
    const loser = sayAfter(
      "loser",
      ({ signal }) => {
        tries++;
        started.open();
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      },
      {
        retry: { maxAttempts: 3, backoffMs: 0 },
        onError: (error) => {
          handled.push(error.message);
          return { action: "skip" };
        },
      },
    );
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ strategy: "race", branches: [loser, sayAfter("winner", () => started.opened)] })
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "winner"]);
    expect([tries, handled]).toEqual([1, []]);
  });

  test("fails when the first to finish fails", async () => {
    const never = createGate();
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ strategy: "race", branches: [fail("bad", "broken"), sayAfter("slow", () => never.opened)] })
      .compile();
    const { status, error, state } = await executeGraph(compiled, { graceMs: 0 });

    expect(status).toBe("failed");
    expect(error?.message).toBe('Node "bad" failed: broken');
    expect(state.log).toEqual(["s"]);
  });

  test("is decided once: a resumed run keeps the recorded winner", async () => {
    const store = new MemorySaver();
    let isResumed = false;
    const slow = createGate();
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({
        id: "race",
        strategy: "race",
        branches: { a: sayAfter("a", () => (isResumed ? undefined : slow.opened)), b: say("b") },
      })
      .then(waitNode<LogState>({ id: "ask", prompt: "continue?" }))
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    isResumed = true;

    const { state } = await executeGraph(compiled, {
      journal: { store, run: "r", resume: true },
      answers: { "continue?": true },
    });

    expect(state.log).toEqual(["s", "b"]);
    const events = await collect(store.read("r"));
    expect(summary(events).filter((event) => event.startsWith("branch.won"))).toEqual(["branch.won race#1"]);
    slow.open();
  });
});

test("a race, an any and an all inside a limited branch give its place back when they end", async () => {
  for (const strategy of ["race", "any", "all"] as const) {
    const inner = parallelNode<LogState>({
      id: "inner",
      strategy,
      branches: [say("x"), sayAfter("y", () => Promise.resolve())],
    });
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ concurrency: 1, branches: { a: [inner, say("a2")], b: say("b"), c: say("c") } })
      .compile();
    const { state } = await executeGraph(compiled);

    expect(state.log.filter((id) => id !== "y")).toEqual(["s", "x", "a2", "b", "c"]);
  }
});

describe('strategy "any"', () => {
  test("continues with the first branch that succeeds, whatever failed before", async () => {
    const failed = createGate();
    const bad = sayAfter("bad", () => {
      failed.open();
      throw new Error("broken");
    });

    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ strategy: "any", branches: [bad, sayAfter("good", () => failed.opened)] })
      .then(say("end"))
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "good", "end"]);
  });

  test("drops what a failed branch had changed", async () => {
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ strategy: "any", concurrency: 1, branches: { a: [say("a1"), fail("a2", "broken")], b: say("b1") } })
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "b1"]);
  });

  test("fails when all fail, with the reason of each", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ id: "try", strategy: "any", branches: [fail("a", "no key"), fail("b", "no network")] })
      .compile();

    await expect(compiled.execute()).rejects.toThrow(
      'Every branch of "try" failed: Node "a" failed: no key; Node "b" failed: no network',
    );
  });

  test("goes to its onError when all fail", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .then(
        parallelNode({
          id: "try",
          strategy: "any",
          onError: "rescue",
          branches: [fail("a", "no key"), fail("b", "no network")],
        }),
      )
      .end()
      .catch(sayAfter("rescue", ({ failure }) => expect(failure?.node).toBe("try")))
      .compile();

    expect((await compiled.execute()).log).toEqual(["s", "rescue"]);
  });

  test("resumes after a branch was lost, without running it again", async () => {
    const store = new MemorySaver();
    let tries = 0;
    const lost = sayAfter("lost", () => {
      tries++;
      throw new Error("broken");
    });
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({
        strategy: "any",
        branches: { a: lost, b: [waitNode<LogState>({ id: "ask", prompt: "?" }), say("b")] },
      })
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });

    const { status, state } = await executeGraph(compiled, {
      journal: { store, run: "r", resume: true },
      answers: { "?": 1 },
    });

    expect(status).toBe("completed");
    expect(state.log).toEqual(["s", "b"]);
    expect(tries).toBe(1);
  });
});

describe('strategy "all"', () => {
  test("fails when one branch fails, and stops the others", async () => {
    const started = createGate();
    const stopped = createGate();
    const other = sayAfter("other", ({ signal }) => {
      signal.addEventListener("abort", stopped.open);
      started.open();
      return stopped.opened;
    });
    const bad = sayAfter("bad", async () => {
      await started.opened;
      throw new Error("broken");
    });

    const { status, error } = await executeGraph(
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ branches: [other, bad] })
        .compile(),
    );

    await stopped.opened;
    expect(status).toBe("failed");
    expect(error?.message).toBe('Node "bad" failed: broken');
  });
});

describe("merge of a parallel node", () => {
  test("gets what each branch changed by name, and the state at the fork", async () => {
    let given: [string, StateUpdate<LogState>][] = [];
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({
        branches: { left: [say("l1"), say("l2")], right: say("r1") },
        merge: (results, atFork) => {
          given = [...results];
          return { log: [`${results.size} of ${atFork.log.join()}`] };
        },
      })
      .compile()
      .execute();

    expect(given).toEqual([
      ["left", { log: ["l1", "l2"], total: 2 }],
      ["right", { log: ["r1"], total: 1 }],
    ]);
    expect(state.log).toEqual(["s", "2 of s"]);
    expect(state.total).toBe(1);
  });

  test("of an inner parallel node becomes what the outer branch changed", async () => {
    const inner = parallelNode<LogState>({
      id: "inner",
      branches: { x: say("x"), y: say("y") },
      merge: () => ({ log: ["merged"] }),
    });
    const state = await graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: { one: [inner, say("after")], two: say("z") } })
      .compile()
      .execute();

    expect(state.log).toEqual(["s", "merged", "after", "z"]);
  });

  test("that returns what is not JSON fails the run, naming the node and the path", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ id: "fan", branches: [say("a")], merge: () => ({ total: Number.NaN }) })
      .compile();

    await expect(compiled.execute()).rejects.toThrow(
      'merge of parallel node "fan": update.total: NaN is not a JSON number.',
    );
  });

  test("that throws fails the run, naming the node", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({
        id: "fan",
        branches: [say("a")],
        merge: () => {
          throw new Error("no idea");
        },
      })
      .compile();

    await expect(compiled.execute()).rejects.toThrow(/"fan".*no idea/);
  });
});
