import { describe, expect, test } from "bun:test";
import type { BaseState, CompiledGraph } from "atomic/workflows/graph";
import {
  createNode,
  executeGraph,
  mapReduce,
  MemorySaver,
  parallelNode,
  reviewCycle,
  sequential,
  taskLoop,
  toolNode,
} from "atomic/workflows/graph";
import { createBarrier } from "../../../../tests/support/graph-kit.ts";

/** Templates take no annotations, so each node writes the whole of what it changes. */
interface State extends BaseState {
  log: string[];
}

const say = (id: string) =>
  createNode<State>({ id, execute: ({ state }) => ({ stateUpdate: { log: [...state.log, id] } }) });
const run = async (compiled: CompiledGraph<State>) => (await compiled.execute({ log: [] })).log;

describe("sequential", () => {
  test("runs its nodes one after the other, and can be extended", async () => {
    expect(await run(sequential([say("a"), say("b"), say("c")]).compile())).toEqual(["a", "b", "c"]);
    expect(
      await run(
        sequential([say("a")])
          .then(say("z"))
          .compile(),
      ),
    ).toEqual(["a", "z"]);
  });

  test("needs a node", () => {
    expect(() => sequential([])).toThrow("sequential(): needs at least one node.");
  });
});

describe("mapReduce", () => {
  const split = toolNode<State>({ id: "split", execute: () => ["x", "y", "z"] });
  const merge = toolNode<State>({ id: "merge", execute: ({ outputs }) => (outputs["work"] as string[]).join("+") });

  test("splits, works on all parts at the same time, and brings them together in order", async () => {
    const barrier = createBarrier(3);
    const compiled = mapReduce<State>({
      splitter: split,
      worker: toolNode({
        id: "work",
        execute: async ({ item, itemIndex }) => {
          await barrier.meet();
          return `${itemIndex}${item as string}`;
        },
      }),
      merger: merge,
    }).compile();
    const state = await compiled.execute({ log: [] });

    expect(state.outputs["work"]).toEqual(["0x", "1y", "2z"]);
    expect(state.outputs["merge"]).toBe("0x+1y+2z");
  });

  test("takes its items from the given place, and keeps to its concurrency limit", async () => {
    let inside = 0;
    let most = 0;
    const compiled = mapReduce<State>({
      splitter: say("split"),
      items: ({ log }) => [...log, "b", "c", "d"],
      concurrency: 2,
      worker: toolNode({
        id: "work",
        execute: async ({ item }) => {
          most = Math.max(most, ++inside);
          await Promise.resolve();
          inside--;
          return item;
        },
      }),
      merger: merge,
    }).compile();

    expect((await compiled.execute({ log: [] })).outputs["merge"]).toBe("split+b+c+d");
    expect(most).toBe(2);
  });
});

describe("reviewCycle", () => {
  const cycle = (isGood: (state: Readonly<State>) => boolean, maxIterations?: number) =>
    reviewCycle<State>({
      executor: say("work"),
      reviewer: say("review"),
      fixer: say("fix"),
      until: isGood,
      maxIterations,
    }).compile();

  test("works once, then reviews and fixes until the review is content", async () => {
    const isGood = ({ log }: Readonly<State>): boolean => log.filter((id) => id === "review").length === 3;

    expect(await run(cycle(isGood))).toEqual(["work", "review", "fix", "review", "fix", "review"]);
  });

  test("fixes nothing when the first review is content", async () => {
    expect(await run(cycle(() => true))).toEqual(["work", "review"]);
  });

  test("gives up after maxIterations, and says so", async () => {
    const state = await cycle(() => false, 2).execute({ log: [] });

    expect(state.log).toEqual(["work", "review", "fix", "review", "fix"]);
    expect(state).toMatchObject({ maxIterationsReached: true });
  });

  test("wants a fixer that is parallel in a subgraph, where it can be left out", () => {
    const fixer = parallelNode<State>({ id: "fix", branches: [say("x")] });

    expect(() =>
      reviewCycle<State>({ executor: say("work"), reviewer: say("review"), fixer, until: () => true }),
    ).toThrow("reviewCycle(): put a fixer that is parallel into a subgraph.");
  });

  test("keeps the fixer's own retries and error handling", async () => {
    let tries = 0;
    const compiled = reviewCycle<State>({
      executor: say("work"),
      reviewer: say("review"),
      fixer: createNode({
        id: "fix",
        retry: { maxAttempts: 2, backoffMs: 0 },
        execute: () => {
          if (++tries === 1) throw new Error("once");
        },
      }),
      until: ({ log }) => log.filter((id) => id === "review").length === 2,
    }).compile();

    expect(await run(compiled)).toEqual(["work", "review", "review"]);
    expect(tries).toBe(2);
  });
});

describe("taskLoop", () => {
  interface Tasks extends State {
    tasks: { id: string; status: string }[];
  }
  const decompose = createNode<Tasks>({
    id: "plan",
    execute: () => ({
      stateUpdate: {
        tasks: ["a", "b"].map((id) => ({ id, status: "pending" })),
        log: ["plan"],
      },
    }),
  });
  const work = createNode<Tasks>({
    id: "work",
    execute: ({ state }) => {
      const next = state.tasks.find(({ status }) => status === "pending");
      return {
        stateUpdate: {
          tasks: state.tasks.map((task) => (task === next ? { ...task, status: "completed" } : task)),
          log: [...state.log, next?.id ?? "nothing"],
        },
      };
    },
  });
  const review = createNode<Tasks>({
    id: "review",
    execute: ({ state }) => ({ stateUpdate: { log: [...state.log, "review"] } }),
  });

  test("plans, and works until no task is open", async () => {
    const state = await taskLoop<Tasks>({ decomposer: decompose, worker: work }).compile().execute();

    expect(state.log).toEqual(["plan", "a", "b"]);
  });

  test("reviews after each round where it has a reviewer", async () => {
    const state = await taskLoop<Tasks>({ decomposer: decompose, worker: work, reviewer: review }).compile().execute();

    expect(state.log).toEqual(["plan", "a", "review", "b", "review"]);
  });

  test("ends when its own condition says so, or after maxIterations", async () => {
    const early = taskLoop<Tasks>({ decomposer: decompose, worker: work, until: () => true }).compile();
    const limited = taskLoop<Tasks>({
      decomposer: decompose,
      worker: work,
      until: () => false,
      maxIterations: 3,
    }).compile();

    expect((await early.execute()).log).toEqual(["plan"]);
    expect((await limited.execute()).log).toEqual(["plan", "a", "b", "nothing"]);
  });

  test("does not work at all when there is nothing to do", async () => {
    const nothing = createNode<Tasks>({ id: "plan", execute: () => ({ stateUpdate: { tasks: [], log: ["plan"] } }) });

    expect((await taskLoop<Tasks>({ decomposer: nothing, worker: work }).compile().execute()).log).toEqual(["plan"]);
  });

  test("continues where it stood after a pause", async () => {
    const store = new MemorySaver();
    const ask = createNode<Tasks>({ id: "ask", execute: async ({ ask }) => void (await ask("more?")) });
    const compiled = taskLoop<Tasks>({ decomposer: decompose, worker: work, reviewer: ask }).compile();
    await executeGraph(compiled, { journal: { store, run: "r" } });
    const { state } = await executeGraph(compiled, {
      journal: { store, run: "r", resume: true },
      answers: { "more?": 1 },
    });

    expect(state.log).toEqual(["plan", "a", "b"]);
  });
});
