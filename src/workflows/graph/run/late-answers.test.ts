// An answer to one question is for that question alone: a loop that asks with the same id each time takes none of an
// earlier visit.

import { describe, expect, test } from "bun:test";
import type { JournalStore } from "atomic/workflows/graph";
import { createNode, executeGraph, graph } from "atomic/workflows/graph";
import type { RunAnswerRequest } from "../../../journal/port.ts";
import type { LogState } from "../../../../tests/support/graph-kit.ts";
import { collect, logAnnotations, say } from "../../../../tests/support/graph-kit.ts";
import { recorded } from "../../../../tests/support/graph-runs.ts";

const approve = createNode<LogState>({
  id: "gate",
  execute: async (ctx) => ({
    stateUpdate: { log: [(await ctx.ask({ id: "approve", text: "Go?", options: ["yes", "no"] })) as string] },
  }),
});
const loop = graph(logAnnotations)
  .start(say("s"))
  .loop(approve, { until: ({ log }) => log.length >= 3, maxIterations: 5 })
  .compile();

const answerTo = (visit: number, value: string): RunAnswerRequest => ({
  type: "answer",
  question: "approve",
  key: `gate#${visit}`,
  value,
});

async function warningsOf(store: JournalStore) {
  const events = await collect(store.read("r"));
  return events.filter(({ type }) => type === "run.warned").map(({ message }) => message);
}

const refused = 'The answer to question "approve" of gate#1 was not taken: the question is no longer open.';

describe("a second answer to one question", () => {
  test("that arrives with the first while the run is going is refused", async () => {
    const { go, store } = recorded(loop);
    const asked: string[] = [];
    const running = go({
      questions: "stay",
      onEvent: (event) => {
        if (event.type !== "question.asked") return;
        const visit = asked.push(event.key);
        void store.request("r", answerTo(visit, visit === 1 ? "yes" : "no"));
        if (visit === 1) void store.request("r", answerTo(1, "yes"));
      },
    });

    expect((await running).state.log).toEqual(["s", "yes", "no"]);
    expect(asked).toEqual(["gate#1", "gate#2"]);
    expect(await warningsOf(store)).toEqual([refused]);
    expect(await store.pending("r")).toEqual([]);
  });

  test("that was left for a paused run is refused, and the next question stays open", async () => {
    const { go, store } = recorded(loop);
    await go();
    await store.request("r", answerTo(1, "yes"));
    await store.request("r", answerTo(1, "yes"));

    expect(await go()).toMatchObject({ status: "paused", open: ["Go?"], state: { log: ["s", "yes"] } });
    expect(await warningsOf(store)).toEqual([refused]);
    expect(await store.pending("r")).toEqual([]);
    await store.request("r", answerTo(2, "no"));
    expect((await go()).state.log).toEqual(["s", "yes", "no"]);
  });

  test("that is found after its visit is done is refused", async () => {
    const { go, store } = recorded(loop);
    await go();
    await store.request("r", answerTo(1, "yes"));
    await go();
    await store.request("r", answerTo(1, "no"));

    expect(await go()).toMatchObject({ status: "paused", open: ["Go?"], state: { log: ["s", "yes"] } });
    expect(await warningsOf(store)).toEqual([refused]);
    expect(await store.pending("r")).toEqual([]);
  });
});

describe("a request without a visit, as older versions left them", () => {
  test("answers the open question of that id", async () => {
    const { go, store } = recorded(loop);
    await go();
    await store.request("r", { type: "answer", question: "approve", value: "yes" });

    expect(await go()).toMatchObject({ status: "paused", open: ["Go?"], state: { log: ["s", "yes"] } });
  });
});

describe("a question that is declined from elsewhere", () => {
  test.each([[[]], ["later"], [false], [null]])("gets its default, which need not be an option (%p)", async (value) => {
    const node = createNode<LogState>({
      id: "ask",
      execute: async (ctx) => {
        const options = { options: ["a", "b"], multiSelect: true, default: value };
        return { stateUpdate: { log: [JSON.stringify(await ctx.ask({ text: "Which?", ...options }))] } };
      },
    });
    const { go, store } = recorded(graph(logAnnotations).start(node).compile());
    const { questions } = await go();
    const { id = "", key = "" } = questions[0] ?? {};
    await store.request("r", { type: "answer", question: id, key, value, isDeclined: true });

    expect(await go()).toMatchObject({ status: "completed", state: { log: [JSON.stringify(value)] } });
    const all = await executeGraph(graph(logAnnotations).start(node).compile(), { questions: "decline" });
    expect(all.state.log).toEqual([JSON.stringify(value)]);
  });
});
