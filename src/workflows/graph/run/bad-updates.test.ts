import { describe, expect, test } from "bun:test";
import type { NodeResult } from "atomic/workflows/graph";
import {
  annotation,
  AtomicError,
  createNode,
  executeGraph,
  graph,
  MemorySaver,
  Reducers,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, createGate, logAnnotations, say, sayAfter, summary } from "../../../../tests/support/graph-kit.ts";

const cyclic: Record<string, unknown> = {};
cyclic["self"] = cyclic;
let deep: unknown = 1;
for (let i = 0; i < 10_000; i++) deep = [deep];

/** What nodes must not return, and what the error says of it. */
const bad: readonly [what: string, update: unknown, path: string, problem: string][] = [
  ["a function", { outputs: { f: () => 1 } }, "stateUpdate.outputs.f", "a function is not JSON"],
  ["a cycle", { outputs: cyclic }, "stateUpdate.", "contains itself (a cycle)"],
  ["a BigInt", { total: 1n }, "stateUpdate.total", "a BigInt is not JSON"],
  ["NaN", { total: Number.NaN }, "stateUpdate.total", "NaN is not a JSON number"],
  ["Infinity", { total: Number.POSITIVE_INFINITY }, "stateUpdate.total", "Infinity is not a JSON number"],
  ["a Date", { outputs: { at: new Date(0) } }, "stateUpdate.outputs.at", "a Date (store value.toISOString())"],
  ["a Map", { outputs: { m: new Map() } }, "stateUpdate.outputs.m", "a Map"],
  [
    "an instance of a class",
    { outputs: { u: new URL("http://localhost") } },
    "stateUpdate.outputs.u",
    "an instance of URL",
  ],
  ["a promise", { outputs: { p: Promise.resolve() } }, "stateUpdate.outputs.p", "an await is missing"],
  ["undefined in a list", { log: ["a", undefined] }, "stateUpdate.log[1]", "undefined is not a JSON value here"],
  [
    "a hole in a list",
    { log: Object.assign([], { 1: "a" }) },
    "stateUpdate.log[0]",
    "undefined is not a JSON value here",
  ],
  ["endless nesting", { outputs: { deep } }, "stateUpdate.", "nested deeper than 500 levels"],
  [
    "__proto__",
    JSON.parse('{"__proto__":{"isAdmin":true}}'),
    "stateUpdate.__proto__",
    'the key "__proto__" is not allowed',
  ],
  [
    "__proto__ inside",
    { outputs: JSON.parse('{"__proto__":1}') as unknown },
    "stateUpdate.outputs.__proto__",
    "is not allowed",
  ],
  [
    "constructor",
    { constructor: { prototype: {} } },
    "stateUpdate.constructor",
    'the key "constructor" is not allowed',
  ],
];

const returning = (id: string, update: unknown) =>
  createNode<LogState>({ id, execute: () => ({ stateUpdate: update }) as NodeResult<LogState> });

describe("an update that is not JSON fails the run, naming the node and the path", () => {
  for (const [what, update, path, problem] of bad) {
    test(what, async () => {
      const compiled = graph(logAnnotations)
        .start(say("before"))
        .then(returning("bad", update))
        .then(say("after"))
        .compile();

      const { status, error, state } = await executeGraph(compiled);

      expect(status).toBe("failed");
      expect(AtomicError.is(error, "NOT_JSON")).toBe(true);
      expect(error?.message).toStartWith('node "bad": ');
      expect(error?.message).toContain(path);
      expect(error?.message).toContain(problem);
      expect(state.log).toEqual(["before"]);
      expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    });
  }
});

describe("with a journal", () => {
  for (const [what, update, path] of bad) {
    test(`${what} leaves a record that reads whole, with nothing of the bad update in it`, async () => {
      const store = new MemorySaver();
      const goodIsDone = createGate();
      const slow = sayAfter("slow", ({ signal }) => {
        goodIsDone.open();
        return aborted(signal);
      });
      const compiled = graph(logAnnotations)
        .start(say("before"))
        .parallel({
          id: "fan",
          branches: {
            good: [say("good"), slow],
            bad: [
              toolNode<LogState>({ id: "hold", execute: () => goodIsDone.opened, outputMapper: () => ({}) }),
              returning("bad", { log: ["half"], ...spread(update) }),
            ],
          },
        })
        .compile();

      const { error, state } = await executeGraph(compiled, { journal: { store, run: "r" } });

      expect(error?.message).toContain(path);
      expect(state.log).toEqual(["before", "good"]);
      const events = await collect(store.read("r"));
      expect(summary(events).at(-1)).toBe("run.finished");
      expect(summary(events)).toContain("node.finished fan#1/good/good#1");
      expect(JSON.stringify(events)).not.toContain("half");
      const failed = events.find((event) => event.type === "node.failed");
      expect(failed).toMatchObject({ node: "bad", error: { code: "NOT_JSON" } });
    });
  }

  test("a run that continues after a handled bad update resumes to the same state", async () => {
    const store = new MemorySaver();
    const compiled = graph(logAnnotations)
      .start(say("a"))
      .then(
        createNode<LogState>({
          id: "bad",
          execute: () => ({ stateUpdate: { total: Number.NaN, log: ["half"] } }),
          onError: () => ({ action: "skip", stateUpdate: { log: ["fixed"] } }),
        }),
      )
      .then(waitNode({ id: "ask", prompt: "?" }))
      .compile();
    const paused = await executeGraph(compiled, { journal: { store, run: "r" } });

    const { status, state } = await executeGraph(compiled, {
      journal: { store, run: "r", resume: true },
      answers: { "?": 1 },
    });

    expect(paused.state.log).toEqual(["a", "fixed"]);
    expect(status).toBe("completed");
    expect(state).toEqual({ ...paused.state, outputs: { ask: 1 }, lastUpdated: state.lastUpdated as string });
  });
});

describe("an invalid result", () => {
  const wrong: readonly [string, unknown, string][] = [
    ["a number", 1, 'Node "bad" returned number; a node returns { stateUpdate?, goto? } or nothing.'],
    ["a list", [], 'Node "bad" returned object; a node returns { stateUpdate?, goto? } or nothing.'],
    ["null", null, 'Node "bad" returned object'],
    [
      "an update without stateUpdate",
      { total: 1 },
      'Node "bad" returned a property "total"; changes of the state go into { stateUpdate',
    ],
    ["an update beside stateUpdate", { stateUpdate: { total: 1 }, log: ["x"] }, 'Node "bad" returned a property "log"'],
    ["a list as stateUpdate", { stateUpdate: [] }, 'Node "bad": stateUpdate must be an object of state keys.'],
    ["a string as stateUpdate", { stateUpdate: "x" }, 'Node "bad": stateUpdate must be an object of state keys.'],
    ["null as stateUpdate", { stateUpdate: null }, 'Node "bad": stateUpdate must be an object of state keys.'],
    ["a goto that is not an id", { goto: 1 }, 'Node "bad": goto must be the id of a node.'],
  ];

  for (const [what, result, text] of wrong) {
    test(`${what} fails the run, naming the node`, async () => {
      const node = createNode<LogState>({ id: "bad", execute: () => result as NodeResult<LogState> });

      const { error, state } = await executeGraph(graph(logAnnotations).start(say("a")).then(node).compile());

      expect(error?.message).toContain(text);
      expect(state.log).toEqual(["a"]);
    });
  }
});

describe("what else must be JSON", () => {
  test("the state a run starts with", async () => {
    const compiled = graph(logAnnotations).start(say("a")).compile();

    await expect(compiled.execute({ total: Number.NaN })).rejects.toThrow(
      "the initial state: state.total: NaN is not a JSON number",
    );
  });

  test("the keys of the state a run starts with, and ids that become keys", async () => {
    const compiled = graph(logAnnotations).start(say("a")).compile();

    for (const key of ["__proto__", "constructor", "prototype"]) {
      const given = JSON.parse(`{ "${key}": { "polluted": 1 } }`) as object;
      const named = graph()
        .start(toolNode({ id: key, execute: () => 1 }))
        .compile();
      await expect(compiled.execute(given)).rejects.toThrow(`the initial state: state.${key}: the key "${key}" is not`);
      await expect(named.execute()).rejects.toThrow(`stateUpdate.outputs.${key}: the key "${key}" is not allowed`);
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("what a reducer returns", async () => {
    const compiled = graph({ seen: annotation<unknown>([], () => new Set([1])) })
      .start(createNode({ id: "a", execute: () => ({ stateUpdate: { seen: 1 } }) }))
      .compile();

    await expect(compiled.execute()).rejects.toThrow(
      /^The update of node ".+" can't be folded: the reducer of state key "seen": seen: a Set \(store/,
    );
  });

  test("what a tool returns, which lands in outputs", async () => {
    const compiled = graph()
      .start(toolNode({ id: "now", execute: () => new Date() }))
      .compile();

    await expect(compiled.execute()).rejects.toThrow('node "now": stateUpdate.outputs.now: a Date');
  });

  test("what a subgraph starts with, and what its mapper returns", async () => {
    const inner = graph<LogState>().start(say("i")).compile();
    const into = subgraphNode<LogState, LogState>({
      id: "sub",
      subgraph: inner,
      inputMapper: () => ({ total: Number.NaN }),
    });
    const out = subgraphNode<LogState, LogState>({
      id: "sub",
      subgraph: inner,
      outputMapper: () => ({ total: Number.NaN }),
    });

    await expect(graph<LogState>().start(into).compile().execute()).rejects.toThrow(
      "state.total: NaN is not a JSON number",
    );
    await expect(graph<LogState>().start(out).compile().execute()).rejects.toThrow(
      'node "sub": stateUpdate.total: NaN is not a JSON number',
    );
  });

  test("what a part of a node's work returns", async () => {
    const node = createNode({
      id: "a",
      execute: async ({ step }) => void (await step("part", () => new Map() as never)),
    });

    await expect(graph().start(node).compile().execute()).rejects.toThrow('step "part" of node "a": value: a Map');
  });

  test("what a handler leaves after a failure", async () => {
    const node = createNode<LogState>({
      id: "a",
      execute: () => {
        throw new Error("broken");
      },
      onError: () => ({ action: "skip", stateUpdate: { total: Number.NaN } }),
    });

    await expect(graph<LogState>().start(node).compile().execute()).rejects.toThrow(
      'node "a": stateUpdate.total: NaN is not a JSON number',
    );
  });

  test("what is asked, and what is answered", async () => {
    const ask = (question: unknown) =>
      createNode({ id: "a", execute: async (context) => void (await context.ask(question as never)) });
    const asked = graph()
      .start(ask({ text: "?", default: new Date(0) }))
      .compile();
    const answered = executeGraph(graph().start(ask("?")).compile(), { answers: { "?": new Date(0) as never } });

    await expect(asked.execute()).rejects.toThrow('a question of node "a": question.default: a Date');
    expect((await answered).error?.message).toContain('the answer to "?" of node "a": answer: a Date');
  });
});

describe("a state that was admitted", () => {
  test("drops undefined, so that live and recorded state are the same", async () => {
    const store = new MemorySaver();
    const compiled = graph(logAnnotations)
      .start(
        createNode({
          id: "a",
          execute: () => ({ stateUpdate: { total: undefined, outputs: { gone: undefined, kept: null } } }),
        }),
      )
      .then(waitNode({ id: "ask", prompt: "?" }))
      .compile();
    const live = await executeGraph(compiled, {
      journal: { store, run: "r" },
      initialState: { total: 3, log: undefined as never },
    });
    const replayed = await executeGraph(compiled, { journal: { store, run: "r", resume: true } });

    expect(live.state).toEqual(replayed.state);
    expect(Object.keys(live.state.outputs)).toEqual(["kept"]);
    expect(live.state.total).toBe(3);
    expect(live.state.log).toEqual([]);
  });

  test("can't be changed by the node that reads it", async () => {
    const write = (id: string, how: (state: LogState) => void) =>
      createNode<LogState>({ id, execute: ({ state }) => how(state) });
    const run = (how: (state: LogState) => void) =>
      executeGraph(graph(logAnnotations).start(say("a")).then(write("w", how)).compile(), {
        runtime: { isStrict: true },
      });

    expect((await run((state) => void (state.total = 5))).error?.message).toContain('Node "w" failed: ');
    expect((await run((state) => void (state.outputs["x"] = 5))).error?.message).toContain('Node "w" failed: ');
    expect((await run((state) => void state.log.push("x"))).error?.message).toContain('Node "w" failed: ');
  });

  test("does not follow what the author does later to the object that was returned", async () => {
    const kept = { names: ["a"] };
    const compiled = graph()
      .start(toolNode({ id: "make", execute: () => kept }))
      .then(toolNode({ id: "change", execute: () => kept.names.push("b") }))
      .compile();

    expect((await compiled.execute()).outputs).toEqual({ make: { names: ["a"] }, change: 2 });
  });
});

describe("secrets", () => {
  const redact = (text: string): string => text.replaceAll("hunter2", "***");

  test("are masked before the fold: neither state nor journal nor questions nor errors hold them", async () => {
    const store = new MemorySaver();
    const seen: unknown[] = [];
    const compiled = graph({ ...logAnnotations, all: annotation<string[]>([], Reducers.concat) })
      .start(
        createNode({
          id: "a",
          execute: async ({ step, emit, attempt, progress }) => {
            const part = await step("login", () => "token hunter2");
            emit("login.done", { with: "hunter2" });
            progress("typing", "hunter2");
            await attempt.note({ session: "hunter2" });
            return { stateUpdate: { all: [part, "hunter2"] } };
          },
        }),
      )
      .then(toolNode({ id: "b", execute: (state) => seen.push(...state.all) }))
      .then(
        createNode({
          id: "c",
          execute: () => {
            throw new Error("bad password hunter2");
          },
          onError: "d",
        }),
      )
      .then(
        createNode({ id: "d", execute: async ({ ask, failure }) => void (await ask(`hunter2? ${failure?.message}`)) }),
      )
      .compile();
    const listened: unknown[] = [];

    const { state, questions } = await executeGraph(compiled, {
      initialState: { log: ["hunter2"] },
      runtime: { redact },
      journal: { store, run: "r" },
      onProgress: (event) => listened.push(event),
      onEvent: (event) => listened.push(event),
    });

    expect(seen).toEqual(["token ***", "***"]);
    expect(state).toMatchObject({ log: ["***"], all: ["token ***", "***"] });
    const everything = JSON.stringify([state, questions, listened, await collect(store.read("r"))]);
    expect(everything).not.toContain("hunter2");
    expect(everything).toContain("bad password ***");
  });
});

function spread(update: unknown): object {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(update as object));
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}
