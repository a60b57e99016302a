import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  annotation,
  type BaseState,
  createNode,
  graph,
  mapNode,
  Reducers,
  subgraphNode,
  waitNode,
} from "atomic/workflows/graph";
import { crashEverywhere, findCrashFailures } from "atomic/testing";

interface LogState extends BaseState {
  log: string[];
}

const annotations = { log: annotation<string[]>([], Reducers.concat) };
const say = (id: string) => createNode<LogState>({ id, execute: () => ({ stateUpdate: { log: [id] } }) });

test("crashEverywhere passes a workflow that keeps everything in its state and its steps", async () => {
  const inner = graph(annotations).start(say("in")).then(say("out")).compile();
  const workflow = graph(annotations)
    .start(say("a"))
    .parallel({
      id: "both",
      branches: [
        [say("b"), waitNode<LogState>({ id: "ask", prompt: "Go on?" })],
        subgraphNode({ id: "sub", subgraph: inner, inputMapper: () => ({}), outputMapper: ({ log }) => ({ log }) }),
      ],
    })
    .loop(say("c"), { until: ({ log }) => log.length > 6 })
    .then(
      mapNode<LogState>({
        id: "each",
        items: () => [1, 2],
        node: say("item"),
        collect: ({ log }) => log.at(-1) ?? "",
        outputMapper: (said) => ({ log: said.map((each) => `each ${each as string}`) }),
      }),
    )
    .compile();

  const report = await crashEverywhere(workflow, { answers: { "Go on?": true } });

  expect(report).toMatchObject({ status: "completed", failures: [] });
  expect(report.records).toBeGreaterThan(10);
});

test("crashEverywhere also crashes between steps that end at the same time", async () => {
  const counted = async (isSync: boolean): Promise<number> => {
    const node = createNode<LogState>({
      id: "a",
      execute: async ({ step }) => {
        const run = (i: number): Promise<number> => step(`part ${i}`, () => i);
        if (isSync) await Promise.all([1, 2, 3].map(run));
        else for (const i of [1, 2, 3]) await run(i);
      },
    });
    const { records, failures } = await crashEverywhere(graph(annotations).start(node).compile());
    expect(failures).toEqual([]);
    return records;
  };

  expect(await counted(true)).toBe(await counted(false));
});

test("crashEverywhere compares runs that pause, and runs that fail, as well", async () => {
  const pauses = graph(annotations).start(say("a")).wait("Who?").then(say("b")).compile();
  expect(await crashEverywhere(pauses)).toMatchObject({ status: "paused", failures: [] });

  const fails = graph(annotations)
    .start(say("a"))
    .then(
      createNode<LogState>({
        id: "b",
        execute: () => {
          throw new Error("no");
        },
      }),
    )
    .compile();
  expect(await crashEverywhere(fails)).toMatchObject({ status: "failed", failures: [] });
});

test("crashEverywhere names the record and the difference when a node counts outside its state", async () => {
  let count = 0;
  const counts = createNode<LogState>({ id: "counts", execute: () => ({ stateUpdate: { log: [`run ${++count}`] } }) });
  const workflow = graph(annotations).start(say("a")).then(counts).compile();

  const failure = crashEverywhere(workflow, { setUp: () => void (count = 0) });

  await expect(failure).rejects.toMatchObject({
    code: "CRASH_DIFFERS",
    message: expect.stringMatching(
      /after 1 of \d crashes:\n {2}after record 2 \(node\.started counts#1\): state\.log\[1\] is "run 2" instead of "run 1"\n.*ctx\.step/,
    ),
  });
});

test("crashEverywhere passes when the same node counts in a step, or the key is in ignore", async () => {
  let count = 0;
  const counts = createNode<LogState>({
    id: "counts",
    execute: async ({ step }) => {
      const own = await step("count", () => ++count);
      return { stateUpdate: { log: [`run ${own > 0 ? "counted" : ""}`] } };
    },
  });
  const workflow = graph(annotations).start(say("a")).then(counts).compile();
  expect((await crashEverywhere(workflow)).failures).toEqual([]);

  const now = createNode<LogState>({ id: "now", execute: () => ({ stateUpdate: { log: [String(count++)] } }) });
  const timed = graph(annotations).start(now).compile();
  expect((await findCrashFailures(timed)).failures.length).toBeGreaterThan(0);
  expect((await findCrashFailures(timed, { ignore: ["log"] })).failures).toEqual([]);
});

test("crashEverywhere finds a file that is written twice, and puts the folder back before each run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "atomic-crash-"));
  const file = join(folder, "out.txt");
  const appends = createNode<LogState>({
    id: "appends",
    execute: () => {
      const text = `${readFileSync(file, "utf8")}line\n`;
      writeFileSync(file, text);
      return { stateUpdate: { log: [text] } };
    },
  });
  try {
    const workflow = graph(annotations).start(appends).then(say("b")).compile();
    const { failures } = await findCrashFailures(workflow, { setUp: () => writeFileSync(file, "") });

    expect(failures).toEqual([
      {
        record: 1,
        hadSnapshots: true,
        after: "node.started appends#1",
        problem: String.raw`state.log[0] is "line\nline\n" instead of "line\n"`,
      },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("crashEverywhere finds a condition that reads more than the state", async () => {
  let isFirst = true;
  const workflow = graph(annotations)
    .start(say("a"))
    .if(() => isFirst)
    .then(say("b"))
    .else()
    .then(say("c"))
    .endif()
    .then(
      createNode<LogState>({
        id: "d",
        execute: () => {
          isFirst = false;
        },
      }),
    )
    .then(say("e"))
    .compile();

  const { failures } = await findCrashFailures(workflow, { setUp: () => void (isFirst = true) });

  expect(failures.map(({ problem }) => problem)).toContainEqual(
    expect.stringMatching(/could not be resumed: The record holds the outcome of "b#1"/),
  );
});

test("crashEverywhere makes a runtime for each process", async () => {
  let made = 0;
  const tools = () => ({ tool: () => ({ name: "t", description: "", execute: () => made }) });
  const workflow = graph(annotations).start(say("a")).compile();

  const { records } = await crashEverywhere(workflow, {
    runtime: () => {
      made++;
      return { tools: tools() };
    },
  });

  // One for the run without a crash; for each crash one before and one after it, with and without snapshots.
  expect(made).toBe(1 + 4 * (records - 1));
});
