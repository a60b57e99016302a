import { describe, expect, test } from "bun:test";
import { createFakeClock } from "atomic/testing";
import type { JournalHandle, JournalStore, Json } from "atomic/workflows/graph";
import { AtomicError, askUserNode, createNode, executeGraph, graph, waitNode } from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, createGate, logAnnotations, say } from "../../../../tests/support/graph-kit.ts";
import { ask, recorded } from "../../../../tests/support/graph-runs.ts";

describe("a question", () => {
  test("carries its options and more, and lands in outputs", async () => {
    const { go } = recorded(
      graph()
        .start(
          askUserNode({
            id: "branch",
            question: "Which branch?",
            header: "Pull request",
            options: ["main", { label: "next", description: "the next release" }],
            multiSelect: false,
          }),
        )
        .compile(),
    );
    const { questions } = await go();

    expect(questions).toEqual([
      expect.objectContaining({
        text: "Which branch?",
        header: "Pull request",
        options: ["main", { label: "next", description: "the next release" }],
        multiSelect: false,
        node: "branch",
        key: "branch#1",
      }),
    ]);
    expect((await go({ answers: { "Which branch?": "next" } })).state.outputs).toEqual({ branch: "next" });
  });

  test("is answered by its id as well as by its text", async () => {
    const { go } = recorded(graph(logAnnotations).start(ask("ask", "who?")).compile());
    const id = (await go()).questions[0]?.id as string;

    expect((await go({ answers: { [id]: "me" } })).state.log).toEqual(["me"]);
  });

  test("is answered from elsewhere while the run is going", async () => {
    const { go, store } = recorded(graph(logAnnotations).start(ask("ask", "who?")).compile());
    const running = go({
      questions: "stay",
      onEvent: (event) => {
        if (event.type === "question.asked") void store.request("r", { type: "answer", question: "who?", value: "me" });
      },
    });

    expect(await running).toMatchObject({ status: "completed", state: { log: ["me"] } });
  });

  test("is answered from elsewhere while the run is paused, and the answer is used once", async () => {
    const { go, store } = recorded(graph(logAnnotations).start(ask("one", "who?")).then(ask("two", "who?")).compile());
    await go();
    await store.request("r", { type: "answer", question: "who?", value: "me" });

    expect(await go()).toMatchObject({ status: "paused", open: ["who?"], state: { log: ["me"] } });
    await store.request("r", { type: "answer", question: "who?", value: "you" });
    expect((await go()).state.log).toEqual(["me", "you"]);
  });

  test("is answered here by a handler, which may leave it open", async () => {
    const compiled = graph(logAnnotations).start(ask("one", "name?")).then(ask("two", "age?")).compile();
    const { go } = recorded(compiled);
    const paused = await go({ questions: ({ text }) => (text === "name?" ? "Ann" : undefined) });

    expect(paused).toMatchObject({ status: "paused", open: ["age?"], state: { log: ["Ann"] } });
    expect((await go({ questions: async () => "33" })).state.log).toEqual(["Ann", "33"]);
  });

  test("whose handler throws fails the node that asks", async () => {
    const { error } = await executeGraph(graph(logAnnotations).start(ask("one", "name?")).compile(), {
      questions: () => {
        throw new Error("no terminal");
      },
    });

    expect(error?.message).toBe('Node "one" failed: no terminal');
  });

  test("that is declined takes its default, or waits where it has none", async () => {
    const compiled = graph(logAnnotations)
      .start(waitNode({ id: "one", prompt: "colour?", default: "red", outputMapper: (a) => ({ log: [a as string] }) }))
      .then(ask("two", "name?"))
      .compile();
    const { go } = recorded(compiled);

    expect(await go({ questions: "decline" })).toMatchObject({
      status: "paused",
      open: ["name?"],
      state: { log: ["red"] },
    });
  });

  test("takes any JSON as its answer", async () => {
    const answers: Json[] = [null, false, 0, "", [], { a: [1] }];
    for (const answer of answers) {
      const { go } = recorded(
        graph()
          .start(waitNode({ id: "ask", prompt: "?" }))
          .compile(),
      );
      await go();

      expect((await go({ answers: { "?": answer } })).state.outputs).toEqual({ ask: answer });
    }
  });

  test("can be asked by a body, several times, between parts that are not repeated", async () => {
    let parts = 0;
    const node = createNode<LogState>({
      id: "talk",
      execute: async ({ ask, step }) => {
        const name = await ask("name?");
        await step("greet", () => void parts++);
        const age = await ask({ text: "age?", options: ["young", "old"] });
        await step("note", () => void parts++);
        return { stateUpdate: { log: [`${name as string} ${age as string}`] } };
      },
    });
    const { go } = recorded(graph(logAnnotations).start(node).compile());

    expect((await go()).open).toEqual(["name?"]);
    expect((await go({ answers: { "name?": "Ann" } })).open).toEqual(["age?"]);
    expect((await go({ answers: { "age?": "old" } })).state.log).toEqual(["Ann old"]);
    expect(parts).toBe(2);
  });

  test("asked at the same time as another by one body suspends with both", async () => {
    const node = createNode<LogState>({
      id: "talk",
      execute: async ({ ask }) => ({ stateUpdate: { log: (await Promise.all([ask("a?"), ask("b?")])) as string[] } }),
    });
    const { go } = recorded(graph(logAnnotations).start(node).compile());

    expect((await go()).open).toEqual(["a?", "b?"]);
    expect((await go({ answers: { "b?": "B" } })).open).toEqual(["a?"]);
    expect((await go({ answers: { "a?": "A" } })).state.log).toEqual(["A", "B"]);
  });
});

describe("questions with an id of their author's", () => {
  const askAs = (id: string, text: string) =>
    createNode<LogState>({
      id: `node-${text}`,
      execute: async (context) => ({ stateUpdate: { log: [(await context.ask({ id, text })) as string] } }),
    });

  test("may be open at the same time under the same id: both are answered, each by a unique id", async () => {
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .parallel({ branches: [askAs("same", "one"), askAs("same", "two")] })
      .compile();
    const { go, store } = recorded(compiled);
    const first = await go();
    const ids = first.questions.map(({ id }) => id);

    expect(first.open).toEqual(["one", "two"]);
    expect(ids[0]).toBe("same");
    expect(new Set(ids).size).toBe(2);
    await store.request("r", { type: "answer", question: ids[1] as string, value: "second" });
    expect(await go()).toMatchObject({ status: "paused", open: ["one"] });
    expect((await go({ answers: { same: "first" } })).state.log).toEqual(["s", "first", "second"]);
  });

  test("asked again in one visit are asked again, and a given answer serves each", async () => {
    const node = createNode<LogState>({
      id: "twice",
      execute: async (context) => {
        const first = (await context.ask({ id: "name", text: "Name?" })) as string;
        const second = (await context.ask({ id: "name", text: "Once more?" })) as string;
        return { stateUpdate: { log: [first, second] } };
      },
    });
    const compiled = graph(logAnnotations).start(node).compile();
    const { go } = recorded(compiled);
    await go();
    expect(await go({ answers: { "Name?": "a" } })).toMatchObject({ status: "paused", open: ["Once more?"] });
    expect((await go({ answers: { "Once more?": "b" } })).state.log).toEqual(["a", "b"]);

    expect((await executeGraph(compiled, { answers: { name: "x" } })).state.log).toEqual(["x", "x"]);
  });
});

describe("a question beside a sleep", () => {
  test("that is left when the time is over does not block the run", async () => {
    const clock = createFakeClock();
    const node = createNode<LogState>({
      id: "impatient",
      execute: async ({ ask, sleepUntil, runtime }) => {
        const late = sleepUntil(runtime.clock.now() + 60_000).then(() => "too late");
        return { stateUpdate: { log: [(await Promise.race([ask("who?"), late])) as string] } };
      },
    });
    const { go } = recorded(graph(logAnnotations).start(node).then(say("after")).compile());
    const running = go({ runtime: { clock } });
    await clock.advance(60_000);

    expect(await running).toMatchObject({ status: "completed", open: [], state: { log: ["too late", "after"] } });
  });
});

describe("a question of one step", () => {
  test("lets the others that run beside it come to their end before the run suspends", async () => {
    const gate = createGate();
    const node = createNode<LogState>({
      id: "both",
      execute: async (context) => {
        const log = await Promise.all([
          context.step("asks", async () => (await context.ask("who?")) as string),
          context
            .step("works", async () => {
              await gate.opened;
              context.signal.throwIfAborted();
              return "worked";
            })
            .then((worked) => context.step("works on", () => `${worked} on`)),
        ]);
        return { stateUpdate: { log } };
      },
    });
    const { go, store } = recorded(graph(logAnnotations).start(node).compile());
    const running = go({ onEvent: ({ type }) => void (type === "question.asked" && setTimeout(gate.open, 20)) });

    expect(await running).toMatchObject({ status: "paused", open: ["who?"] });
    const done = (await collect(store.read("r"))).filter(({ type }) => type === "step.finished");
    expect(done.map(({ step }) => step)).toEqual([":works", ":works on"]);
    expect((await go({ answers: { "who?": "me" } })).state.log).toEqual(["me", "worked on"]);
  });
});

describe("an answer that was left for a paused run", () => {
  const compiled = graph(logAnnotations).start(ask("one", "who?")).then(ask("two", "who?")).compile();

  test("is not lost when the process is killed before it is on record", async () => {
    const { go, store } = recorded(compiled);
    await go();
    await store.request("r", { type: "answer", question: "who?", value: "me" });
    const killed = withHandle(store, (handle) => ({
      append: (events) => {
        if (events.some(({ type }) => type === "question.answered"))
          throw new AtomicError("JOURNAL_WRITE_FAILED", "killed");
        return handle.append(events);
      },
    }));
    const died = executeGraph(compiled, { journal: { store: killed, run: "r", resume: true } });
    await expect(died).rejects.toMatchObject({ code: "JOURNAL_WRITE_FAILED" });

    expect(await go()).toMatchObject({ status: "paused", state: { log: ["me"] } });
  });

  // The second with a snapshot after every record: then it alone knows which requests were answered.
  for (const snapshotEvery of [500, 1]) {
    test(`is not used twice when the process is killed before the request is acknowledged (${snapshotEvery})`, async () => {
      const { go, store } = recorded(compiled);
      await go();
      await store.request("r", { type: "answer", question: "who?", value: "me" });
      const killed = withHandle(store, () => ({ acknowledge: () => Promise.reject(new Error("killed")) }));
      await executeGraph(compiled, { journal: { store: killed, run: "r", resume: true }, snapshotEvery });

      expect(await go()).toMatchObject({ status: "paused", open: ["who?"], state: { log: ["me"] } });
      expect((await go({ answers: { "who?": "you" } })).state.log).toEqual(["me", "you"]);
    });
  }
});

/** The store with some methods of its handles replaced. */
function withHandle(store: JournalStore, replace: (handle: JournalHandle) => Partial<JournalHandle>): JournalStore {
  return bound(store, {
    open: async (run, options) => {
      const handle = await store.open(run, options);
      return bound(handle, replace(handle));
    },
  });
}

function bound<T extends object>(target: T, replaced: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name) => {
      const value: unknown = Reflect.get(name in replaced ? replaced : target, name, target);
      return typeof value === "function" ? (value as (...given: unknown[]) => unknown).bind(target) : value;
    },
  });
}

describe("ctx.sleepUntil", () => {
  test("sleeps until a time that a restart does not move", async () => {
    const clock = createFakeClock();
    const node = createNode<LogState>({
      id: "nap",
      execute: async ({ runtime, sleepUntil }) => {
        await sleepUntil(runtime.clock.now() + 60_000);
        return { stateUpdate: { log: [`woke at ${runtime.clock.now()}`] } };
      },
    });
    const { go } = recorded(graph(logAnnotations).start(node).compile());
    const stop = new AbortController();
    const first = go({ runtime: { clock }, signal: stop.signal });
    await clock.advance(10_000);
    stop.abort();
    expect((await first).status).toBe("paused");

    const later = createFakeClock(40_000);
    const second = go({ runtime: { clock: later } });
    await later.advance(20_000);

    expect((await second).state.log).toEqual(["woke at 60000"]);
  });

  const nap = createNode<LogState>({
    id: "nap",
    execute: async ({ runtime, sleepUntil }) => {
      await sleepUntil(runtime.clock.now() + 60_000);
      return { stateUpdate: { log: ["woke"] } };
    },
  });
  const hour = 3_600_000;

  test("takes no longer than it was meant to when the clock is set back before the run is resumed", async () => {
    const { go } = recorded(graph(logAnnotations).start(nap).compile());
    const clock = createFakeClock(2 * hour);
    const stop = new AbortController();
    const first = go({ runtime: { clock }, signal: stop.signal });
    await clock.advance(20_000);
    stop.abort();
    await first;

    const earlier = createFakeClock(hour);
    const second = go({ runtime: { clock: earlier } });
    await earlier.advance(40_000);

    expect((await second).state.log).toEqual(["woke"]);
  });

  test("is not skipped in a run whose clock was set back before", async () => {
    const clock = createFakeClock(hour);
    const { go } = recorded(graph(logAnnotations).start(ask("before", "?")).then(nap).compile());
    await go({ runtime: { clock: createFakeClock(2 * hour) } });
    let isOver = false;
    const running = go({ runtime: { clock }, answers: { "?": "a" } }).finally(() => (isOver = true));
    await clock.advance(59_000);

    expect(isOver).toBe(false);
    await clock.advance(1_000);
    expect((await running).state.log).toEqual(["a", "woke"]);
  });

  test("refuses what is not a time, and is not tried again", async () => {
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, "tomorrow" as never]) {
      const node = createNode<LogState>({
        id: "nap",
        retry: { maxAttempts: 3 },
        execute: ({ sleepUntil }) => sleepUntil(time),
      });
      const { error } = await executeGraph(graph(logAnnotations).start(node).compile());

      expect(error).toMatchObject({ code: "NOT_JSON", message: expect.stringContaining(`is ${time}.`) });
    }
  });
});
