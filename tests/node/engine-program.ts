// Checks the guarantees of the engine in a separate program, which is bundled and run by plain Node
// (engine-on-node.test.ts). Prints `ok` and the name for each case; throws at the first that fails.
// The whole behaviour is tested beside the sources; here is enough of each part to notice a runtime that differs.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileSaver, ResearchDirSaver } from "atomic/workflows";
import type { BaseState, MapReduceConfig } from "atomic/workflows/graph";
import {
  annotation,
  AtomicError,
  compileGraphConfig,
  createNode,
  executeGraph,
  graph,
  mapNode,
  MemorySaver,
  mapReduce,
  Reducers,
  StreamRouter,
  streamGraph,
  subgraphNode,
  toolNode,
  waitNode,
} from "atomic/workflows/graph";

interface State extends BaseState {
  log: string[];
  total: number;
}

const annotations = { log: annotation<string[]>([], Reducers.concat), total: annotation(0, Reducers.sum) };
const say = (id: string, before: () => unknown = () => undefined) =>
  createNode<State>({
    id,
    execute: async () => {
      await before();
      return { stateUpdate: { log: [id], total: 1 } };
    },
  });

/** Resolves for all once this many have come. */
function barrier(count: number): () => Promise<void> {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let here = 0;
  return () => {
    if (++here === count) open();
    return opened;
  };
}

const cases: Readonly<Record<string, () => Promise<void>>> = {
  "a chain, a condition and a loop": async () => {
    const state = await graph(annotations)
      .start(say("a"))
      .if(({ total }) => total > 5)
      .then(say("never"))
      .else()
      .then(say("b"))
      .endif()
      .loop(say("c"), { until: ({ total }) => total >= 4, maxIterations: 10 })
      .compile()
      .execute();
    assert.deepEqual(state.log, ["a", "b", "c", "c"]);
  },

  "branches at the same time, merged in declaration order": async () => {
    const meet = barrier(3);
    const state = await graph(annotations)
      .start(say("s"))
      .parallel({ branches: { x: say("x", meet), y: [say("y1", meet), say("y2")], z: say("z", meet) } })
      .then(say("end"))
      .compile()
      .execute();
    assert.deepEqual(state.log, ["s", "x", "y1", "y2", "z", "end"]);
  },

  "a race whose loser is stopped": async () => {
    let isStopped = false;
    const slow = createNode<State>({
      id: "slow",
      execute: ({ runtime, signal }) => {
        signal.addEventListener("abort", () => (isStopped = true));
        return runtime.clock.sleep(60_000, signal);
      },
    });
    const state = await graph(annotations)
      .start(say("s"))
      .parallel({ strategy: "race", branches: [slow, say("quick", () => new Promise((r) => setTimeout(r, 5)))] })
      .compile()
      .execute();
    assert.deepEqual(state.log, ["s", "quick"]);
    assert.ok(isStopped);
  },

  "a subgraph, a map and a template": async () => {
    const inner = graph(annotations).start(say("i")).compile();
    const state = await graph(annotations)
      .start(subgraphNode({ id: "sub", subgraph: inner, outputMapper: ({ log }) => ({ log }) }))
      .then(
        mapNode({ id: "map", items: () => [1, 2, 3], node: toolNode({ id: "m", execute: (s) => Number(s.item) * 2 }) }),
      )
      .compile()
      .execute();
    assert.deepEqual([state.log, state.outputs["map"]], [["i"], [2, 4, 6]]);
    const letters: MapReduceConfig<BaseState> = {
      splitter: toolNode({ id: "split", execute: () => ["a", "b"] }),
      worker: toolNode({ id: "work", execute: ({ item }) => `${item as string}!` }),
      merger: toolNode({ id: "merge", execute: ({ outputs }) => (outputs["work"] as string[]).join("") }),
    };
    const reduced = await mapReduce(letters).compile().execute();
    assert.equal(reduced.outputs["merge"], "a!b!");
  },

  "retries, a timeout, an error handler and a step limit": async () => {
    let tries = 0;
    const flaky = createNode<State>({
      id: "flaky",
      retry: { maxAttempts: 3, backoffMs: 1 },
      execute: () => {
        if (++tries < 3) throw new Error("again");
      },
    });
    const late = createNode<State>({
      id: "late",
      timeoutMs: 10,
      onError: (error) => ({ action: "skip", stateUpdate: { log: [(error as AtomicError).code] } }),
      execute: ({ runtime, signal }) => runtime.clock.sleep(60_000, signal),
    });
    assert.deepEqual((await graph(annotations).start(flaky).then(late).compile().execute()).log, ["NODE_TIMEOUT"]);
    assert.equal(tries, 3);
    const endless = graph(annotations)
      .start(say("a"))
      .loop(say("b"), { until: () => false, maxIterations: 0 })
      .compile();
    const { error } = await executeGraph(endless, { maxSteps: 50 });
    assert.ok(AtomicError.is(error, "STEP_LIMIT"));
  },

  "bad graphs and bad updates, each with its place": async () => {
    assert.throws(
      () => compileGraphConfig({ startNode: "x", nodes: [say("a")], edges: [{ from: "a", to: "b" }] }),
      (error) => AtomicError.is(error, "GRAPH_INVALID") && (error.details["faults"] as unknown[]).length === 2,
    );
    const bad = createNode<State>({ id: "bad", execute: () => ({ stateUpdate: { outputs: { at: new Date(0) } } }) });
    const { error, state } = await executeGraph(graph(annotations).start(say("a")).then(bad).compile());
    assert.match(String(error?.message), /node "bad": stateUpdate\.outputs\.at: a Date/);
    assert.deepEqual(state.log, ["a"]);
  },

  "a stream of steps, and of what was asked for": async () => {
    const talk = createNode<State>({ id: "talk", execute: ({ emit }) => emit("page.read", { page: 1 }) });
    const compiled = graph(annotations).start(say("a")).then(talk).compile();
    const steps: string[] = [];
    for await (const step of streamGraph(compiled)) steps.push(step.nodeId);
    assert.deepEqual(steps, ["a", "talk"]);
    const modes = new Set<string>();
    for await (const event of new StreamRouter(compiled).stream("all")) modes.add(event.mode);
    assert.deepEqual([...modes].toSorted(), ["custom", "debug", "updates", "values"]);
  },

  "a pause by a signal, and a request to cancel": async () => {
    const hang = createNode<State>({
      id: "hang",
      execute: ({ runtime, signal }) => runtime.clock.sleep(60_000, signal),
    });
    const compiled = graph(annotations).start(say("a")).then(hang).compile();
    const paused = await executeGraph(compiled, { signal: AbortSignal.timeout(10) });
    assert.deepEqual([paused.status, paused.reason, paused.state.log], ["paused", "interrupted", ["a"]]);
    const store = new MemorySaver();
    const running = executeGraph(compiled, {
      journal: { store, run: "r" },
      onEvent: (event) => {
        if (event.type === "node.started" && event.key === "hang#1") void store.request("r", { type: "cancel" });
      },
    });
    assert.equal((await running).status, "cancelled");
  },

  "waits that are resumed, from memory and from files": async () => {
    const folder = mkdtempSync(join(tmpdir(), "atomic-node-"));
    let runs = 0;
    const ask = (id: string, prompt: string) =>
      waitNode<State>({ id, prompt, outputMapper: (answer) => ({ log: [answer as string] }) });
    const compiled = graph(annotations)
      .start(say("a", () => runs++))
      .parallel({ branches: { left: [ask("l", "left?"), say("l2")], right: [say("r1"), ask("r", "right?")] } })
      .then(say("end"))
      .compile({ name: "waits" });
    for (const store of [new MemorySaver(), new FileSaver({ dir: folder })]) {
      runs = 0;
      const first = await executeGraph(compiled, { journal: { store, run: "r" } });
      assert.deepEqual(first.questions.map(({ text }) => text).toSorted(), ["left?", "right?"]);
      const resume = (answers: Record<string, string>) =>
        executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers });
      assert.equal((await resume({ "right?": "R" })).status, "paused");
      assert.deepEqual((await resume({ "left?": "L" })).state.log, ["a", "L", "l2", "r1", "R", "end"]);
      assert.equal(runs, 1);
    }
    rmSync(folder, { recursive: true });
  },

  "a long loop with snapshots, resumed": async () => {
    const store = new MemorySaver();
    const compiled = graph(annotations)
      .start(say("a"))
      .loop(say("b"), { until: ({ total }) => total > 2000, maxIterations: 0 })
      .then(waitNode({ id: "ask", prompt: "?" }))
      .compile();
    await executeGraph(compiled, { journal: { store, run: "r" }, snapshotEvery: 100 });
    const { state } = await executeGraph(compiled, { journal: { store, run: "r", resume: true }, answers: { "?": 1 } });
    assert.equal(state.total, 2001);
  },

  "checkpointing into a folder": async () => {
    const folder = mkdtempSync(join(tmpdir(), "atomic-node-"));
    await graph(annotations).start(say("a")).compile({ checkpointing: true, checkpointDir: folder }).execute();
    assert.equal((await new ResearchDirSaver({ dir: folder }).list()).runs.length, 1);
    rmSync(folder, { recursive: true });
  },
};

for (const [name, run] of Object.entries(cases)) {
  await run();
  process.stdout.write(`ok ${name}\n`);
}
process.stdout.write(`${Object.keys(cases).length} cases on Node ${process.versions.node}\n`);
