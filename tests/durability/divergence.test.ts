// A workflow that no longer fits its record is refused before anything runs, and the record stays as it was: with the old
// code the run resumes. Nothing in the workflow can catch that, because it is not the workflow that failed.

import { beforeEach, describe, expect, test } from "bun:test";
import { MemorySaver } from "../../src/journal/memory.ts";
import type { StoredEvent } from "../../src/journal/port.ts";
import { graph } from "../../src/workflows/graph/build/builder.ts";
import type { CompiledGraph, CompileOptions } from "../../src/workflows/graph/compile/compiled-graph.ts";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import type { ExecutionResult } from "../../src/workflows/graph/run/execute-options.ts";
import { createNode } from "../../src/workflows/graph/nodes/create-node.ts";
import { subgraphNode } from "../../src/workflows/graph/nodes/subgraph.ts";
import type { WorkflowResolver } from "../../src/workflows/graph/model/runtime.ts";
import { annotation, type BaseState, Reducers } from "../../src/workflows/graph/model/state.ts";
import { storeOf, TapeStore } from "./tape.ts";

interface LogState extends BaseState {
  log: string[];
}

const annotations = { log: annotation<string[]>([], Reducers.concat) };

let ran: string[];
let store: MemorySaver;

beforeEach(() => {
  ran = [];
  store = new MemorySaver();
});

const say = (id: string) =>
  createNode<LogState>({
    id,
    execute: () => {
      ran.push(id);
      return { stateUpdate: { log: [id] } };
    },
  });

async function events(): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const event of store.read("run")) all.push(event);
  return all;
}

function begin(workflow: CompiledGraph<LogState>, workflows?: WorkflowResolver): Promise<ExecutionResult<LogState>> {
  return executeGraph(workflow, {
    journal: { store, run: "run" },
    runtime: workflows === undefined ? {} : { workflows },
  });
}

function resume(workflow: CompiledGraph<LogState>, workflows?: WorkflowResolver): Promise<ExecutionResult<LogState>> {
  ran = [];
  return executeGraph(workflow, {
    journal: { store, run: "run", resume: true },
    runtime: workflows === undefined ? {} : { workflows },
    answers: { "Go on?": true },
  });
}

/** Refused with this code, and nothing about the run is different afterwards, except that it may say it was tried. */
async function isRefused(resumed: Promise<unknown>, code: string, message: RegExp): Promise<void> {
  const before = (await events()).length;
  await expect(resumed).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  expect(ran).toEqual([]);
  const added = (await events()).slice(before).filter(({ type }) => type !== "run.started");
  expect(added).toEqual([]);
}

describe("a resumed run", () => {
  test("is refused when a condition decides otherwise than before", async () => {
    const build = (way: string) =>
      graph(annotations)
        .start(say("a"))
        .if(() => way === "b")
        .then(say("b"))
        .else()
        .then(say("c"))
        .endif()
        .wait("Go on?")
        .compile();
    await begin(build("b"));

    await isRefused(resume(build("c")), "JOURNAL_DIVERGED", /outcome of "b#1".*Put the old code back/);
    expect(await resume(build("b"))).toMatchObject({ status: "completed", state: { log: ["a", "b"] } });
  });

  test("is refused, and not recorded as failed, when a condition throws on what was recorded", async () => {
    const build = (key: "log" | "names") =>
      graph(annotations)
        .start(say("a"))
        .if((state) => (state as object as Record<string, string[]>)[key]!.length > 0)
        .then(say("b"))
        .endif()
        .wait("Go on?")
        .compile();
    await begin(build("log"));

    await isRefused(resume(build("names")), "JOURNAL_DIVERGED", /A condition.*threw.*Restore the code/);
    expect(await resume(build("log"))).toMatchObject({ status: "completed", state: { log: ["a", "b"] } });
  });

  const inner = (...ids: string[]) => {
    const builder = graph(annotations).start(say("in"));
    for (const id of ids) builder.then(say(id));
    return builder.wait("Go on?").compile();
  };
  const outer = graph(annotations)
    .start(say("a"))
    .then(
      subgraphNode<LogState, LogState>({
        id: "sub",
        subgraph: "inner",
        inputMapper: () => ({}),
        outputMapper: ({ log }) => ({ log }),
        // Neither may be asked: nothing is wrong with the node.
        retry: { maxAttempts: 3, backoffMs: 0 },
        onError: () => ({ action: "skip", stateUpdate: { log: ["skipped"] } }),
      }),
    )
    .catch(say("caught"))
    .compile();

  test("is refused when a workflow that it runs by name has changed, whatever handles failures there", async () => {
    await begin(outer, () => inner("x"));

    await expect(resume(outer, () => inner("y"))).rejects.toMatchObject({ code: "GRAPH_CHANGED" });
    expect(ran).toEqual([]);
    expect(await resume(outer, () => inner("x"))).toMatchObject({
      status: "completed",
      state: { log: ["a", "in", "x"] },
    });
    expect(ran).toEqual([]);
  });

  test("is refused when a subgraph comes another way than before, whatever handles failures there", async () => {
    const forks = (way: string) =>
      graph(annotations)
        .start(say("in"))
        .if(() => way === "x")
        .then(say("x"))
        .else()
        .then(say("y"))
        .endif()
        .wait("Go on?")
        .compile();
    await begin(outer, () => forks("x"));

    await expect(resume(outer, () => forks("y"))).rejects.toMatchObject({ code: "JOURNAL_DIVERGED" });
    expect(ran).toEqual([]);
    expect(await resume(outer, () => forks("x"))).toMatchObject({
      status: "completed",
      state: { log: ["a", "in", "x"] },
    });
  });
});

describe("a run whose state has another version", () => {
  const build = (version: number, config: CompileOptions<LogState> = {}) =>
    graph(annotations)
      .start(say("a"))
      .then(say("b"))
      .wait("Go on?")
      .then(
        createNode<LogState>({
          id: "c",
          execute: ({ state }) => ({ stateUpdate: { log: [`c of ${JSON.stringify(state.log)}`] } }),
        }),
      )
      .then(say("d"))
      .compile({ stateVersion: version, name: "versions", ...config });
  const migrateState: NonNullable<CompileOptions<LogState>["migrateState"]> = (state, from) => ({
    ...state,
    log: (state["log"] as string[]).map((line) => `${line} from ${from}`),
  });

  test("is migrated once, wherever it is killed after that", async () => {
    const tape = new TapeStore({}, store);
    const journal = { store: tape, run: "run" };
    await executeGraph(build(1), { journal });
    const paused = tape.tape.length;
    const answers = { "Go on?": true };
    const migrated = await executeGraph(build(2, { migrateState }), { journal: { ...journal, resume: true }, answers });
    const log = ["a from 1", "b from 1", 'c of ["a from 1","b from 1"]', "d"];
    expect(migrated).toMatchObject({ status: "completed", state: { log } });

    let cuts = 0;
    for (let at = paused; at < tape.tape.length; at++, cuts++) {
      const left = await storeOf("run", tape.tape.slice(0, at), { withSnapshots: true });
      const resumed = executeGraph(build(2, { migrateState }), {
        journal: { store: left, run: "run", resume: true },
        answers,
      });
      expect({ at, ...(await resumed) }).toMatchObject({ at, status: "completed", state: { log } });
    }
    expect(cuts).toBeGreaterThan(4);
  });

  test("is refused without migrateState, or by an older workflow, and resumes with the right one", async () => {
    await begin(build(2));

    await isRefused0(resume(build(3)), /version 2, the workflow "versions" has version 3 and no migrateState/);
    await isRefused0(resume(build(1)), /version 2.*version 1\. Resume it with the newer workflow/);
    expect((await resume(build(2))).status).toBe("completed");
  });

  test("is refused in the middle of branches, whose changes belong to no version", async () => {
    const forked = (version: number) =>
      graph(annotations)
        .start(say("a"))
        .parallel({
          id: "both",
          branches: { asks: graph(annotations).start(say("q")).wait("Go on?").compile(), says: say("b") },
        })
        .compile({ stateVersion: version, migrateState });
    await begin(forked(1));

    await expect(resume(forked(2))).rejects.toMatchObject({ code: "STATE_VERSION" });
    expect(ran).toEqual([]);
    expect((await resume(forked(1))).status).toBe("completed");
  });

  async function isRefused0(resumed: Promise<unknown>, message: RegExp): Promise<void> {
    const before = await events();
    await expect(resumed).rejects.toMatchObject({ code: "STATE_VERSION", message: expect.stringMatching(message) });
    expect(ran).toEqual([]);
    expect(await events()).toEqual(before);
  }
});
