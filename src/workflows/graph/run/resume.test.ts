import { describe, expect, test } from "bun:test";
import type { CompiledGraph, CompileOptions, ExecuteOptions } from "atomic/workflows/graph";
import {
  annotation,
  createNode,
  executeGraph,
  fingerprintOf,
  graph,
  MemorySaver,
  Reducers,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, logAnnotations, say, sayAfter } from "../../../../tests/support/graph-kit.ts";

const ask = (id = "ask") => waitNode<LogState>({ id, prompt: "?" });

/** Starts a run with one graph and resumes it with another. */
async function across<A extends object, B extends object>(
  before: CompiledGraph<A>,
  after: CompiledGraph<B>,
  options: ExecuteOptions<B> = {},
) {
  const store = new MemorySaver();
  await executeGraph(before, { journal: { store, run: "r" } });
  return executeGraph(after, { ...options, journal: { store, run: "r", resume: true }, answers: { "?": 1 } });
}

describe("a graph that changed", () => {
  const original = graph(logAnnotations).start(say("a")).then(ask()).then(say("b")).compile({ name: "plan" });

  const changes: readonly [string, CompiledGraph<LogState> | CompiledGraph<LogState & { more: number }>, string][] = [
    [
      "a node is new",
      graph(logAnnotations).start(say("a")).then(ask()).then(say("b")).then(say("c")).compile({ name: "plan" }),
      'node "tool c" is new',
    ],
    [
      "a node is gone",
      graph(logAnnotations).start(say("a")).then(ask()).compile({ name: "plan" }),
      'node "tool b" is gone',
    ],
    [
      "a node has another id",
      graph(logAnnotations).start(say("a")).then(ask("ask2")).then(say("b")).compile({ name: "plan" }),
      'node "wait ask" is gone; node "wait ask2" is new',
    ],
    [
      "a state key is new",
      graph({ ...logAnnotations, more: annotation(0) })
        .start(say("a"))
        .then(ask())
        .then(say("b"))
        .compile({ name: "plan" }),
      'state key "more" is new',
    ],
  ];

  for (const [what, changed, text] of changes) {
    test(`is refused when ${what}, with what changed`, async () => {
      const resumed = across(original, changed as CompiledGraph<LogState>);

      await expect(resumed).rejects.toMatchObject({ code: "GRAPH_CHANGED" });
      await expect(resumed).rejects.toThrow(text);
      await expect(resumed).rejects.toThrow('The workflow "plan" has changed since this run was recorded');
    });
  }

  test("runs nothing before it is refused, and stays resumable", async () => {
    const store = new MemorySaver();
    let runs = 0;
    const journal = (resume: boolean) => ({ store, run: "r", resume });
    await executeGraph(original, { journal: journal(false) });
    const before = (await collect(store.read("r"))).length;
    const changed = graph(logAnnotations)
      .start(sayAfter("a", () => runs++))
      .then(sayAfter("other", () => runs++))
      .compile({ name: "plan" });
    await expect(executeGraph(changed, { journal: journal(true) })).rejects.toThrow();

    expect(runs).toBe(0);
    expect((await collect(store.read("r"))).length).toBe(before);
    expect((await executeGraph(original, { journal: journal(true), answers: { "?": 1 } })).status).toBe("completed");
  });

  test("only in what its nodes do is resumed", async () => {
    const reworded = graph(logAnnotations)
      .start(say("a"))
      .then(ask())
      .then(sayAfter("b", () => "a new comment"))
      .compile({ name: "plan" });

    expect((await across(original, reworded)).state.log).toEqual(["a", "b"]);
    expect(fingerprintOf(reworded)).toBe(fingerprintOf(original));
  });

  test("in a condition, so that the record no longer fits, is refused and not guessed", async () => {
    const build = (isLeft: boolean) =>
      graph(logAnnotations)
        .start(say("a"))
        .if(() => isLeft)
        .then(say("left"))
        .else()
        .then(say("right"))
        .endif()
        .then(ask())
        .compile();

    await expect(across(build(true), build(false))).rejects.toMatchObject({ code: "JOURNAL_DIVERGED" });
  });
});

describe("stateVersion", () => {
  interface Old extends LogState {
    name: string;
  }
  interface New extends LogState {
    names: string[];
  }
  const old = graph<Old>()
    .start(createNode({ id: "a", execute: () => ({ stateUpdate: { name: "Ann" } }) }))
    .then(waitNode({ id: "ask", prompt: "?" }))
    .then(toolNode({ id: "end", execute: ({ name }) => name }))
    .compile({ name: "people", stateVersion: 1 });
  const build = (options: CompileOptions<New>) =>
    graph<New>()
      .start(createNode({ id: "a", execute: () => ({ stateUpdate: { names: ["Ann"] } }) }))
      .then(waitNode({ id: "ask", prompt: "?" }))
      .then(toolNode({ id: "end", execute: ({ names }) => names.join() }))
      .compile({ name: "people", ...options });

  test("older than the workflow's is migrated, once, before anything continues", async () => {
    const seen: unknown[] = [];
    const { state } = await across(
      old,
      build({
        stateVersion: 3,
        migrateState: ({ name, ...rest }, from) => {
          seen.push(from);
          return { ...rest, names: [name] };
        },
      }),
    );

    expect(seen).toEqual([1]);
    expect(state.outputs["end"]).toBe("Ann");
    expect(state).not.toHaveProperty("name");
  });

  test("stays migrated over further resumes", async () => {
    const store = new MemorySaver();
    let migrations = 0;
    const migrated = build({
      stateVersion: 2,
      migrateState: ({ name, ...rest }) => {
        migrations++;
        return { ...rest, names: [name] };
      },
    });
    await executeGraph(old, { journal: { store, run: "r" } });
    for (let i = 0; i < 3; i++) await executeGraph(migrated, { journal: { store, run: "r", resume: true } });
    const { state } = await executeGraph(migrated, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(migrations).toBe(1);
    expect(state.outputs["end"]).toBe("Ann");
  });

  test("older without migrateState is refused, with what to do", async () => {
    await expect(across(old, build({ stateVersion: 2 }))).rejects.toMatchObject({ code: "STATE_VERSION" });
    await expect(across(old, build({ stateVersion: 2 }))).rejects.toThrow(
      'The run\'s state has version 1, the workflow "people" has version 2 and no migrateState.',
    );
  });

  test("newer than the workflow's is refused", async () => {
    const newer = build({ stateVersion: 5 });
    const older = build({ stateVersion: 4, migrateState: (state) => state });

    await expect(across(newer, older)).rejects.toThrow("Resume it with the newer workflow.");
  });

  test("whose migration gives what is not JSON, or throws, is refused", async () => {
    const notJson = build({ stateVersion: 2, migrateState: () => ({ names: new Set() }) });
    const throwing = build({
      stateVersion: 2,
      migrateState: () => {
        throw new Error("no idea how");
      },
    });

    await expect(resultOf(across(old, notJson))).resolves.toContain("migrateState: state.names: a Set");
    await expect(resultOf(across(old, throwing))).resolves.toContain("no idea how");
  });

  test("in the middle of branches can't be moved, and is refused", async () => {
    const branches = (stateVersion: number) =>
      graph(logAnnotations)
        .start(say("s"))
        .parallel({ branches: [say("x"), ask()] })
        .compile({ stateVersion, migrateState: (state) => state });

    await expect(across(branches(1), branches(2))).rejects.toMatchObject({ code: "STATE_VERSION" });
  });
});

describe("a resumed run", () => {
  test("gives the state of one that was never interrupted", async () => {
    const build = () =>
      graph({ ...logAnnotations, best: annotation(0, Reducers.max) })
        .start(say("a"))
        .parallel({
          branches: {
            left: [say("l1"), ask("l2"), say("l3")],
            right: [createNode({ id: "r1", execute: () => ({ stateUpdate: { best: 4, log: ["r1"] } }) }), ask("r2")],
          },
        })
        .loop([say("w"), ask("again")], { until: ({ total }) => total > 6 })
        .compile();
    const { state: whole } = await executeGraph(build(), { answers: { "?": 1 } });
    const { state: resumed } = await across(build(), build());

    const { lastUpdated: _one, executionId: _first, ...expected } = whole;
    const { lastUpdated: _two, executionId: _second, ...found } = resumed;
    expect(found).toEqual(expected);
  });

  test("continues from a snapshot in the middle of branches, races and subgraphs", async () => {
    const text = annotation("", (current: string, update: string) => `${current}${update}`);
    const write = (id: string) => createNode<{ text: string }>({ id, execute: () => ({ stateUpdate: { text: id } }) });
    const wait = (id: string) => waitNode<{ text: string }>({ id, prompt: `${id}?` });
    const inner = graph({ text }).start(write("i")).then(wait("w1")).then(write("j")).compile();
    const build = () =>
      graph({ text })
        .start(write("a"))
        .parallel({ strategy: "race", branches: [write("b"), [write("x"), write("y")]] })
        .parallel({
          branches: {
            one: [write("c"), write("d"), wait("w2"), write("e")],
            two: subgraphNode({
              id: "sub",
              subgraph: inner,
              inputMapper: () => ({}),
              outputMapper: (s) => ({ text: s.text }),
            }),
            three: [write("f"), write("g")],
          },
        })
        .then(write("z"))
        .compile();
    const { state: whole } = await executeGraph(build(), { answers: { "w1?": 1, "w2?": 1 } });
    const store = new MemorySaver();
    const run = (resume: boolean, answers: Record<string, number>) =>
      executeGraph(build(), { journal: { store, run: "r", resume }, snapshotEvery: 1, answers });
    await run(false, {});
    await run(true, {});
    await run(true, { "w2?": 1 });
    const { state } = await run(true, { "w1?": 1 });

    expect(whole.text).toBe("abcdeijfgz");
    expect(state.text).toBe(whole.text);
  });

  test("ignores another first state", async () => {
    const compiled = graph(logAnnotations).start(say("a")).then(ask()).compile();
    const { state } = await across(compiled, compiled, { initialState: { total: 100 } });

    expect(state.total).toBe(1);
  });

  test("continues from a snapshot as from the whole record", async () => {
    const store = new MemorySaver();
    let runs = 0;
    const compiled = graph(logAnnotations)
      .start(say("s"))
      .loop(
        sayAfter("a", () => runs++),
        { until: ({ total }) => total > 300, maxIterations: 0 },
      )
      .then(ask())
      .then(say("end"))
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" }, snapshotEvery: 50 });
    const { state } = await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });

    expect(runs).toBe(300);
    expect(state.total).toBe(302);
    expect(state.log.at(-1)).toBe("end");
  });
});

async function resultOf(running: Promise<{ error?: Error | undefined }>): Promise<string> {
  try {
    return (await running).error?.message ?? "no error";
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

describe("resuming a completed run", () => {
  const left = createNode<LogState>({ id: "left", execute: () => ({ stateUpdate: { log: ["left"] } }) });
  const ran: string[] = [];
  const noted = (id: string) =>
    createNode<LogState>({
      id,
      execute: () => {
        ran.push(id);
        return { stateUpdate: { log: [id] } };
      },
    });
  const built = (isLooping = (state: Readonly<LogState>) => state.log.length > 6) =>
    graph(logAnnotations)
      .start(noted("a"))
      .parallel({ branches: [noted("b"), [noted("c"), left]] })
      .loop(noted("d"), { until: isLooping })
      .then(subgraphNode({ id: "inner", subgraph: graph(logAnnotations).start(noted("e")).compile() }))
      .compile();

  test.each([1, 2, 1000])("returns the recorded result and runs nothing, with snapshots every %d", async (every) => {
    const store = new MemorySaver();
    const run = (resume: boolean) =>
      executeGraph(built(), { journal: { store, run: "r", resume }, snapshotEvery: every });
    const first = await run(false);
    const records = await collect(store.read("r"));
    ran.length = 0;

    expect(await run(true)).toEqual(first);
    expect(first).toMatchObject({ status: "completed", state: { log: ["a", "b", "c", "left", "d", "d", "d"] } });
    expect(ran).toEqual([]);
    expect(await collect(store.read("r"))).toEqual(records);
  });

  test("works under a limit lower than what the run took", async () => {
    const store = new MemorySaver();
    const first = await executeGraph(built(), { journal: { store, run: "r" } });
    const again = await executeGraph(built(), { journal: { store, run: "r", resume: true }, maxSteps: 2 });

    expect(again).toEqual(first);
  });

  test("refuses a graph that no longer ends where the record does", async () => {
    const store = new MemorySaver();
    await executeGraph(built(), { journal: { store, run: "r" } });
    ran.length = 0;
    const longer = built((state) => state.log.length > 9);

    const again = executeGraph(longer, { journal: { store, run: "r", resume: true } });
    await expect(again).rejects.toMatchObject({ code: "JOURNAL_DIVERGED" });
    expect(ran).toEqual([]);
  });
});
