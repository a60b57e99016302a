// What is given up stays given up: the loser of a race and the try that took too long run nothing any more, record
// nothing any more, and leave nothing behind in a snapshot.

import { expect, test } from "bun:test";
import { MemorySaver } from "../../src/journal/memory.ts";
import type { StoredEvent } from "../../src/journal/port.ts";
import { graph } from "../../src/workflows/graph/build/builder.ts";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import type { ExecutionContext, NodeDefinition } from "../../src/workflows/graph/model/node.ts";
import { createNode } from "../../src/workflows/graph/nodes/create-node.ts";
import { subgraphNode } from "../../src/workflows/graph/nodes/subgraph.ts";
import { annotation, type BaseState, Reducers } from "../../src/workflows/graph/model/state.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { TapeStore } from "./tape.ts";

interface LogState extends BaseState {
  log: string[];
}

const annotations = { log: annotation<string[]>([], Reducers.concat) };

function node(id: string, body: (context: ExecutionContext<LogState>) => Promise<unknown>): NodeDefinition<LogState> {
  return createNode<LogState>({
    id,
    execute: async (context) => {
      await body(context);
      return { stateUpdate: { log: [id] } };
    },
  });
}

function untilAborted({ signal }: ExecutionContext<LogState>): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function eventsOf(store: TapeStore | MemorySaver): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const event of store.read("run")) events.push(event);
  return events;
}

test("the subgraph of a branch that lost a race is aborted, and runs no further node", async () => {
  const ran: string[] = [];
  let isAborted = false;
  const slow = graph(annotations)
    .start(
      node("slow-1", async (context) => {
        context.signal.addEventListener("abort", () => (isAborted = true));
        await turn();
        await turn();
        await turn();
      }),
    )
    .then(
      node("slow-2", async () => {
        ran.push("slow-2");
      }),
    )
    .compile();
  const race = graph(annotations)
    .start(node("a", turn))
    .parallel({
      id: "race",
      strategy: "race",
      branches: [
        subgraphNode<LogState, LogState>({ id: "slow", subgraph: slow, inputMapper: () => ({}) }),
        node("quick", turn),
      ],
    })
    .then(
      node("b", async () => {
        for (let i = 0; i < 4; i++) await turn();
      }),
    )
    .compile();

  const { status, state } = await executeGraph(race, { journal: { store: new MemorySaver(), run: "run" } });

  expect({ status, log: state.log, ran, isAborted }).toEqual({
    status: "completed",
    log: ["a", "quick", "b"],
    ran: [],
    isAborted: true,
  });
});

test("the subgraph of a try that took too long is aborted before the next try begins", async () => {
  const clock = createFakeClock();
  let tries = 0;
  const running = new Set<number>();
  let together = 0;
  const inner = graph(annotations)
    .start(
      node("inner", async (context) => {
        const own = ++tries;
        running.add(own);
        together = Math.max(together, running.size);
        try {
          if (own === 1) await untilAborted(context);
        } finally {
          running.delete(own);
        }
      }),
    )
    .compile();
  const outer = graph(annotations)
    .start(
      subgraphNode<LogState, LogState>({
        id: "sub",
        subgraph: inner,
        timeoutMs: 1000,
        retry: { maxAttempts: 2, backoffMs: 10 },
        inputMapper: () => ({}),
        outputMapper: ({ log }) => ({ log }),
      }),
    )
    .compile();

  const run = executeGraph(outer, { journal: { store: new MemorySaver(), run: "run" }, runtime: { clock } });
  await clock.advance(2000);

  expect(await run).toMatchObject({ status: "completed", state: { log: ["inner"] } });
  expect({ tries, together }).toEqual({ tries: 2, together: 1 });
});

test("a try that timed out records nothing more, however it continues", async () => {
  const clock = createFakeClock();
  let tries = 0;
  const problems: string[] = [];
  let late: Promise<void> | undefined;
  const slow = node("slow", async (context) => {
    if (++tries > 1) return;
    await clock.sleep(5000);
    const attempts = [
      context.step("late", () => 1),
      context.attempt.note("late"),
      context.ask("late?"),
      context.sleepUntil(clock.now() + 1),
    ];
    late = Promise.allSettled(attempts).then((all) => {
      for (const result of all) problems.push(result.status);
    });
  });
  const built = graph(annotations)
    .start({ ...slow, timeoutMs: 1000, retry: { maxAttempts: 2, backoffMs: 10 } })
    .then(node("b", () => clock.sleep(10_000)))
    .compile();
  const store = new MemorySaver();

  const run = executeGraph(built, { journal: { store, run: "run" }, runtime: { clock } });
  await clock.advance(20_000);

  expect((await run).status).toBe("completed");
  await late;
  expect(problems).toEqual(["rejected", "rejected", "rejected", "rejected"]);
  const types = (await eventsOf(store)).map(({ type }) => type);
  expect(types.filter((type) => !type.startsWith("node.") && !type.startsWith("run."))).toEqual([]);
});

test("snapshots after a race hold nothing of its losers", async () => {
  const store = new TapeStore({ eagerSnapshots: true });
  const built = graph(annotations)
    .start(node("a", turn))
    .parallel({
      id: "race",
      strategy: "race",
      branches: {
        slow: [node("s1", turn), node("s2", untilAborted)],
        quick: [node("q1", turn), node("q2", turn), node("q3", turn)],
      },
    })
    .then(node("b", turn))
    .then(node("c", turn))
    .compile();

  await executeGraph(built, { journal: { store, run: "run" }, snapshotEvery: 1 });

  const last = store.tape.findLast((written) => written.kind === "snapshot");
  const text = JSON.stringify(last?.kind === "snapshot" ? last.snapshot.body : "");
  expect(text).toContain('"c"');
  for (const left of ["s1#", "s2#", "slow", '"quick"']) expect(text.replace(/"shape":\{.*?\}/, "")).not.toContain(left);
});
