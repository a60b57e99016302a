import { describe, expect, test } from "bun:test";
import type { BaseState, ExecuteOptions, ExecutionContext, ExecutionResult } from "atomic/workflows/graph";
import {
  annotation,
  createNode,
  executeGraph,
  graph,
  mapNode,
  MemorySaver,
  pauseWith,
  Reducers,
} from "atomic/workflows/graph";

interface ListState extends BaseState {
  found: number[];
}
type ItemState = ListState & { readonly item: number; readonly itemIndex: number };
type Body = (context: ExecutionContext<ItemState>) => Promise<unknown>;

/** A map over three items; what the body returns is the item's result. */
function mapOver(body: Body, options: { targets?: string[]; timeoutMs?: number; concurrency?: number } = {}) {
  const { targets, timeoutMs, concurrency } = options;
  return graph({ found: annotation<number[]>([], Reducers.concat) })
    .start(
      mapNode<ListState>({
        id: "each",
        items: () => [1, 2, 3],
        timeoutMs,
        concurrency,
        node: createNode({
          id: "one",
          targets,
          execute: async (context) => {
            const result = await body(context as ExecutionContext<ItemState>);
            return result === "again" ? { goto: "one" } : { stateUpdate: { outputs: { one: result } } };
          },
        }),
        outputMapper: (results) => ({ found: results as number[] }),
      }),
    )
    .compile();
}

/** The result, without what differs from run to run. */
function summaryOf({ status, reason, error, state, steps, questions }: ExecutionResult<ListState>): unknown {
  return {
    status,
    reason,
    message: error?.message,
    found: state.found,
    steps,
    questions: questions.map((q) => q.text),
  };
}

/** The same bodies, run the short way, recorded, and listened to. */
async function threeWays(
  make: () => Parameters<typeof mapOver>,
  options: () => ExecuteOptions<ListState> = () => ({}),
): Promise<readonly unknown[]> {
  const ways: (() => ExecuteOptions<ListState>)[] = [
    () => ({}),
    () => ({ journal: { store: new MemorySaver(), run: "r" } }),
    () => ({ onStep: () => undefined }),
  ];
  return Promise.all(
    ways.map(async (way) => summaryOf(await executeGraph(mapOver(...make()), { ...options(), ...way() }))),
  );
}

function expectSame([short, ...others]: readonly unknown[], expected: object): void {
  expect(short).toMatchObject(expected);
  for (const other of others) expect(other).toEqual(short);
}

describe("an item of a map that nothing records", () => {
  test("has the result of a recorded one", async () => {
    const same = await threeWays(() => [async ({ state }) => state.item * 10 + state.itemIndex]);

    expectSame(same, { status: "completed", found: [10, 21, 32], steps: 4 });
  });

  test("fails the run with the same error", async () => {
    const same = await threeWays(() => [
      async ({ state }) => {
        if (state.item === 2) throw new Error("broken");
        return state.item;
      },
    ]);

    expectSame(same, { status: "failed", message: 'Node "each" failed: Node "one" failed: broken' });
  });

  test("refuses what is not JSON with the same words", async () => {
    const same = await threeWays(() => [async () => new Date(0)]);

    expectSame(same, { status: "failed" });
  });

  test("goes to itself", async () => {
    const visits = (context: ExecutionContext<ItemState>) =>
      Promise.resolve(context.visit < 3 ? "again" : context.visit);

    expectSame(await threeWays(() => [visits, { targets: ["one"] }]), {
      status: "completed",
      found: [3, 3, 3],
      steps: 10,
    });
  });

  test("pauses the run at its limit of steps", async () => {
    const same = await threeWays(
      () => [async ({ state }) => state.item, { concurrency: 1 }],
      () => ({ maxSteps: 2 }),
    );

    expectSame(same, { status: "paused", reason: "budget" });
  });

  test("pauses the run when its body asks for that, or asks a question", async () => {
    const paused = await threeWays(() => [
      async () => {
        throw pauseWith("paused");
      },
    ]);
    const asked = await threeWays(() => [({ ask, state }) => ask(`How many for ${state.item}?`)]);

    expectSame(paused, { status: "paused", reason: "paused" });
    expectSame(asked, {
      status: "paused",
      reason: "needs-human",
      questions: [1, 2, 3].map((n) => `How many for ${n}?`),
    });
  });

  test("runs its own subgraphs and steps", async () => {
    const inner = mapOver(async ({ state }) => state.item);
    const same = await threeWays(() => [
      async ({ runSubgraph, state, step }) => {
        const { found } = await runSubgraph(inner, { executionId: "", outputs: {}, found: [] });
        return (await step("add", () => found.length)) + state.item;
      },
    ]);

    expectSame(same, { status: "completed", found: [4, 5, 6] });
  });

  test("is stopped when its map times out, and no longer counts", async () => {
    const aborted: number[] = [];
    const hang: Body = ({ signal, state }) =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          aborted.push(state.item);
          reject(signal.reason as Error);
        });
      });
    const same = await threeWays(() => [hang, { timeoutMs: 20 }]);

    expectSame(same, { status: "failed" });
    expect(aborted).toHaveLength(9);
  });

  test("ends before a stopped run returns", async () => {
    let ended = 0;
    const stops: AbortController[] = [];
    const endLate = (stop: AbortController): Body => {
      return async ({ signal, state }) => {
        const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
        if (state.item === 3) stop.abort();
        await aborted;
        await Promise.resolve();
        ended++;
        return state.item;
      };
    };
    const same = await threeWays(
      () => {
        const stop = new AbortController();
        stops.push(stop);
        return [endLate(stop)];
      },
      () => ({ signal: stops.at(-1)?.signal }),
    );

    expectSame(same, { status: "paused", reason: "interrupted", found: [], steps: 3 });
    expect(ended).toBe(9);
  });

  test("does not start in a run that has stopped", async () => {
    let ran = 0;
    const compiled = mapOver(async () => ++ran);
    const result = await executeGraph(compiled, { signal: AbortSignal.abort() });

    expect(result.status).toBe("paused");
    expect(ran).toBe(0);
  });
});
