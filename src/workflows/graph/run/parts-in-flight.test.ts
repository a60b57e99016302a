import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createFakeClock } from "atomic/testing";
import type { ExecuteOptions, ExecutionContext, NodeDefinition } from "atomic/workflows/graph";
import { createNode, executeGraph, graph, MemorySaver, waitNode } from "atomic/workflows/graph";
import type { Gate, LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, createGate, logAnnotations, say, turns } from "../../../../tests/support/graph-kit.ts";

type Context = ExecutionContext<LogState>;
type NodeOptions = Partial<Pick<NodeDefinition<LogState>, "retry" | "timeoutMs" | "onError">>;

/** One node with the given body, in a run that can be resumed; and what its steps did. */
function recorded(body: (context: Context, world: World) => Promise<string>, options: NodeOptions = {}) {
  const store = new MemorySaver();
  const world = new World();
  const compiled = graph(logAnnotations)
    .start(
      createNode<LogState>({
        ...options,
        id: "body",
        execute: async (context) => ({ stateUpdate: { log: [await body(context, world)] } }),
      }),
    )
    .then(say("after"))
    .compile();
  let isStarted = false;
  const go = (more: ExecuteOptions<LogState> = {}) => {
    const journal = { store, run: "r", resume: isStarted };
    isStarted = true;
    return executeGraph(compiled, { ...more, journal });
  };
  const steps = async () =>
    (await collect(store.read("r"))).flatMap(({ type, step }) => (type === "step.finished" ? [step as string] : []));
  /** The question is on record. */
  const asked = async (text: string): Promise<void> => {
    const over = new AbortController();
    while ((await store.info("r").catch(() => undefined)) === undefined) await pause();
    for await (const event of store.follow("r", { signal: over.signal }))
      if (event.type === "question.asked" && (event["question"] as { text: string }).text === text) over.abort();
  };
  return { store, world, go, steps, asked };
}

class World {
  readonly ran: string[] = [];
  readonly #gates = new Map<string, Gate>();

  gate(name: string): Gate {
    const gate = this.#gates.get(name) ?? createGate();
    this.#gates.set(name, gate);
    return gate;
  }

  /** A step that is at work until its gate is opened. */
  work(context: Context, name: string): Promise<string> {
    return context.step(name, async () => {
      this.ran.push(name);
      await this.gate(name).opened;
      return name;
    });
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await pause();
  }
}

async function askText(context: Context, question: string): Promise<string> {
  return (await context.ask(question)) as string;
}

/** Lets whatever else is ready go first. */
async function pause(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

describe("a step beside a question is finished and recorded before the run suspends", () => {
  const bodies: Record<string, (context: Context, world: World) => Promise<string>> = {
    "the question first": async (context, world) =>
      (await Promise.all([askText(context, "who?"), world.work(context, "work")])).join(),
    "the step first": async (context, world) =>
      (await Promise.all([world.work(context, "work"), askText(context, "who?")])).toReversed().join(),
    "the question after another step": async (context, world) => {
      const asked = context.step("first", () => "x").then(() => askText(context, "who?"));
      return (await Promise.all([asked, world.work(context, "work")])).join();
    },
    "the question after its own wait": async (context, world) => {
      const work = world.work(context, "work");
      await turns();
      return `${await askText(context, "who?")},${await work}`;
    },
    "the question inside its own step": async (context, world) => {
      const asked = context.step("asks", async () => {
        await turns();
        return askText(context, "who?");
      });
      return (await Promise.all([asked, world.work(context, "work")])).join();
    },
    "the question inside a step, asked by a callback": async (context, world) => {
      const callbacks: (() => void)[] = [];
      // The caller knows nothing of the step.
      void pause().then(() => callbacks.forEach((callback) => callback()));
      const asked = context.step("asks", () => {
        const { ask } = context;
        return new Promise<string>((resolve, reject) => {
          callbacks.push(() => void ask("who?").then((answer) => resolve(answer as string), reject));
        });
      });
      return (await Promise.all([asked, world.work(context, "work")])).join();
    },
    "the question in a subgraph": async (context, world) => {
      const inner = graph(logAnnotations)
        .start(waitNode({ id: "ask", prompt: "who?" }))
        .compile();
      const start = { ...context.state, log: [] };
      const [{ outputs }, work] = await Promise.all([context.runSubgraph(inner, start), world.work(context, "work")]);
      return `${String(outputs["ask"])},${work}`;
    },
  };

  test.each(Object.keys(bodies))("with %s", async (name) => {
    const { go, world, asked, steps } = recorded(bodies[name] as (typeof bodies)[string]);
    const running = go();
    await asked("who?");
    await pause();
    world.gate("work").open();

    expect(await running).toMatchObject({ status: "paused", reason: "needs-human" });
    expect(await steps()).toContain(":work");
    expect(await go({ answers: { "who?": "me" } })).toMatchObject({
      status: "completed",
      state: { log: ["me,work", "after"] },
    });
    expect(world.ran).toEqual(["work"]);
  });

  test("with several questions, and several steps that follow one another", async () => {
    const { go, world, asked, steps } = recorded(async (context, world) => {
      const chain = async (name: string): Promise<string> => {
        await world.work(context, `${name}1`);
        return world.work(context, `${name}2`);
      };
      const all = [askText(context, "who?"), chain("a"), askText(context, "where?"), chain("b")];
      return (await Promise.all(all)).join();
    });
    const running = go();
    await asked("who?");
    await asked("where?");
    for (const name of ["b1", "a1", "b2", "a2"]) {
      await pause();
      world.gate(name).open();
    }
    const paused = await running;

    expect(paused.questions.map(({ text }) => text).toSorted()).toEqual(["where?", "who?"]);
    expect((await steps()).toSorted()).toEqual([":a1", ":a2", ":b1", ":b2"]);
    expect(await go({ answers: { "who?": "me" } })).toMatchObject({ status: "paused" });
    const done = await go({ answers: { "where?": "here" } });
    expect(done.state.log).toEqual(["me,a2,here,b2", "after"]);
    expect(world.ran.toSorted()).toEqual(["a1", "a2", "b1", "b2"]);
  });

  test("with a sleep beside them", async () => {
    const clock = createFakeClock();
    const { go, world, asked, steps } = recorded(async (context, world) => {
      const slept = context.step("sleeps", async () => {
        await context.sleepUntil(clock.now() + 60_000);
        return "slept";
      });
      return (await Promise.all([askText(context, "who?"), world.work(context, "work"), slept])).join();
    });
    const running = go({ runtime: { clock } });
    await asked("who?");
    world.gate("work").open();
    await pause();
    await clock.advance(60_000);

    expect(await running).toMatchObject({ status: "paused" });
    expect((await steps()).toSorted()).toEqual([":sleeps", ":work"]);
    expect((await go({ runtime: { clock }, answers: { "who?": "me" } })).state.log).toEqual(["me,work,slept", "after"]);
    expect(world.ran).toEqual(["work"]);
  });
});

describe("a question that a step asks", () => {
  test("suspends the run, however deep in the step it is asked", async () => {
    const { go } = recorded((context) =>
      context.step("outer", async () => {
        await pause();
        return context.step("inner", async () => {
          await pause();
          return `${await askText(context, "who?")}!`;
        });
      }),
    );

    expect(await go()).toMatchObject({ status: "paused", reason: "needs-human" });
    expect((await go({ answers: { "who?": "me" } })).state.log).toEqual(["me!", "after"]);
  });
});

describe("a step that is at work when its body ends", () => {
  const askAndWork = async (context: Context, world: World): Promise<string> =>
    (await Promise.all([askText(context, "who?"), world.work(context, "work")])).join();

  test("because the run is paused is recorded, and not repeated", async () => {
    const { go, world, asked, store } = recorded(askAndWork);
    const running = go();
    await asked("who?");
    await store.request("r", { type: "pause" });
    await pause();
    world.gate("work").open();

    expect(await running).toMatchObject({ status: "paused", reason: "paused" });
    expect((await go({ answers: { "who?": "me" } })).state.log).toEqual(["me,work", "after"]);
    expect(world.ran).toEqual(["work"]);
  });

  test("because another step failed is recorded before the next attempt, which does not repeat it", async () => {
    let tries = 0;
    const { go, world, asked } = recorded(
      async (context, world) => {
        const fails = context.step("fails", async () => {
          await pause();
          if (++tries === 1) throw new Error("not yet");
          return "ok";
        });
        return (await Promise.all([askText(context, "who?"), world.work(context, "work"), fails])).join();
      },
      { retry: { maxAttempts: 2, backoffMs: 0 } },
    );
    const running = go();
    await asked("who?");
    await world.until(() => tries === 1);
    await pause();
    expect(tries).toBe(1);
    world.gate("work").open();

    expect(await running).toMatchObject({ status: "paused", reason: "needs-human" });
    expect((await go({ answers: { "who?": "me" } })).state.log).toEqual(["me,work,ok", "after"]);
    expect(world.ran).toEqual(["work"]);
    expect(tries).toBe(2);
  });

  test("does not keep a node from failing when it only waits: for an answer, for a time, for a subgraph", async () => {
    const clock = createFakeClock();
    const inner = graph(logAnnotations)
      .start(waitNode({ id: "ask", prompt: "where?" }))
      .compile();
    const { go, asked } = recorded(async (context) => {
      const waits = [
        context.step("asks", () => askText(context, "who?")),
        context.step("sleeps", async () => {
          await context.sleepUntil(clock.now() + 1e9);
          return "slept";
        }),
        context.step("runs", async () => (await context.runSubgraph(inner, context.state)).executionId),
        context.step("fails", async () => {
          await asked("who?");
          await asked("where?");
          throw new Error("no use");
        }),
      ];
      return (await Promise.all(waits)).join();
    });

    expect(await go({ runtime: { clock } })).toMatchObject({
      status: "failed",
      error: { message: 'Node "body" failed: no use' },
    });
  });

  test("is given up when the node takes longer than its timeoutMs", async () => {
    const clock = createFakeClock();
    const { go, world } = recorded(
      async (context, world) => {
        const fails = context.step("fails", () => Promise.reject(new Error("no use")));
        return (await Promise.all([world.work(context, "work"), fails])).join();
      },
      { timeoutMs: 1000 },
    );
    const running = go({ runtime: { clock } });
    await world.until(() => world.ran.length === 1);
    await pause();
    await clock.advance(1000);

    expect(await running).toMatchObject({ status: "failed", error: { code: "NODE_TIMEOUT" } });
  });

  test("leaves no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const { go, world, asked, store } = recorded(async (context, world) => {
        const answer = context.ask("who?");
        const slept = context.sleepUntil(Date.now() + 1e9);
        await world.work(context, "work");
        await slept;
        return (await answer) as string;
      });
      const running = go();
      await asked("who?");
      await store.request("r", { type: "pause" });
      world.gate("work").open();

      expect(await running).toMatchObject({ status: "paused" });
      await pause();
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});

test("where calls can't be followed, a step beside a question, and one that asks itself, still work", () => {
  const program = `
    import { createNode, executeGraph, graph, MemorySaver } from ${JSON.stringify(join(import.meta.dir, "../../../public/graph.ts"))};
    import { canFollowCalls } from ${JSON.stringify(join(import.meta.dir, "step-scope.ts"))};
    const later = () => new Promise((resolve) => setTimeout(resolve, 20));
    const work = ({ step }) => step("work", async () => { await later(); return "work"; });
    const bodies = {
      questionFirst: (ctx) => Promise.all([ctx.ask("who?"), work(ctx)]),
      stepFirst: (ctx) => Promise.all([work(ctx), ctx.ask("who?")]),
      inside: (ctx) => ctx.step("asks", async () => { await later(); return ctx.ask("who?"); }),
    };
    const seen = { canFollowCalls: canFollowCalls() };
    for (const [name, body] of Object.entries(bodies)) {
      const store = new MemorySaver();
      const node = createNode({ id: "body", execute: async (ctx) => ({ stateUpdate: { outputs: { all: await body(ctx) } } }) });
      const { status } = await executeGraph(graph().start(node).compile(), { journal: { store, run: "r" } });
      seen[name] = status;
      for await (const { type, step } of store.read("r")) if (type === "step.finished") seen[name] += step;
    }
    console.log(JSON.stringify(seen));
  `;
  const { stdout, stderr } = Bun.spawnSync([process.execPath, "-e", program], { env: {} });

  expect(stderr.toString()).toBe("");
  expect(JSON.parse(stdout.toString())).toEqual({
    canFollowCalls: false,
    questionFirst: "paused:work",
    stepFirst: "paused:work",
    inside: "paused",
  });
});
