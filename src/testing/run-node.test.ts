import { expect, test } from "bun:test";
import { type BaseState, createNode, graph, parallelNode, subgraphNode, waitNode } from "atomic/workflows/graph";
import { createFakeClock, runNode } from "atomic/testing";

interface DraftState extends BaseState {
  draft: string;
  notes: string[];
}

const state: DraftState = { executionId: "x", outputs: {}, draft: "one", notes: ["a"] };

test("runNode returns what the body changes, where it goes and everything it did on the way", async () => {
  const node = createNode<DraftState>({
    id: "review",
    execute: async ({ state: { draft }, step, emit, progress, attempt, ask }) => {
      const length = await step("measure", () => draft.length);
      await attempt.note({ session: "s1" });
      emit("review.began", { length });
      progress("review.token", "…");
      const answer = await ask({ id: "q", text: "Good?", default: "no" });
      return { stateUpdate: { draft: `${draft} (${answer as string})` }, goto: "end" };
    },
  });

  expect(await runNode(node, { state, answers: { "Good?": "yes" } })).toEqual({
    update: { draft: "one (yes)" },
    goto: "end",
    steps: { measure: 3 },
    notes: [{ session: "s1" }],
    emitted: [{ type: "review.began", data: { length: 3 } }],
    recorded: [],
    progress: [{ type: "review.token", data: "…" }],
    questions: [{ id: "q", text: "Good?", default: "no" }],
  });
  expect((await runNode(node, { state })).update).toEqual({ draft: "one (no)" });
});

test("runNode throws what the body throws, and refuses what a graph would refuse", async () => {
  const throws = createNode<DraftState>({
    id: "throws",
    execute: () => {
      throw new RangeError("too far");
    },
  });
  await expect(runNode(throws, { state })).rejects.toBeInstanceOf(RangeError);

  const changes = createNode<DraftState>({ id: "changes", execute: ({ state: given }) => void given.notes.push("b") });
  await expect(runNode(changes, { state })).rejects.toBeInstanceOf(TypeError);
  expect(state.notes).toEqual(["a"]);

  const bad = createNode<DraftState>({ id: "bad", execute: () => ({ stateUpdate: { draft: Number.NaN as never } }) });
  await expect(runNode(bad, { state })).rejects.toMatchObject({
    code: "NOT_JSON",
    message: expect.stringContaining('node "bad": stateUpdate.draft'),
  });

  await expect(runNode(waitNode<DraftState>({ id: "ask", prompt: "Who?" }), { state })).rejects.toMatchObject({
    code: "QUESTION_UNKNOWN",
    message: expect.stringContaining("answers"),
  });
  const parallel = parallelNode<DraftState>({ id: "both", branches: [throws] });
  await expect(runNode(parallel, { state })).rejects.toMatchObject({ code: "BUILDER_MISUSE" });
});

test("runNode passes earlier attempts, the failure that led to the node, and the signal to the body", async () => {
  const stop = new AbortController();
  stop.abort();
  const node = createNode<DraftState>({
    id: "repair",
    execute: ({ attempt, failure, visit, key, signal }) => ({
      stateUpdate: {
        draft: JSON.stringify([attempt.number, attempt.previousNotes, failure?.node, visit, key, signal.aborted]),
      },
    }),
  });

  const { update } = await runNode(node, {
    state,
    visit: 3,
    signal: stop.signal,
    failure: { node: "broken", message: "no" },
    attempt: { number: 2, previousNotes: ["note"] },
  });

  expect(update.draft).toBe('[2,["note"],"broken",3,"repair#3",true]');
});

test("runNode runs subgraphs, and sleeps by the clock it is given", async () => {
  const inner = graph<DraftState>()
    .start(createNode<DraftState>({ id: "in", execute: () => ({ stateUpdate: { draft: "two" } }) }))
    .compile();
  const sub = subgraphNode<DraftState, DraftState>({
    id: "sub",
    subgraph: inner,
    outputMapper: ({ draft }) => ({ draft }),
  });
  expect((await runNode(sub, { state })).update).toEqual({ draft: "two" });

  const clock = createFakeClock(1000);
  const sleeps = createNode<DraftState>({
    id: "sleeps",
    execute: async ({ sleepUntil, runtime }) => {
      await sleepUntil(5000);
      return { stateUpdate: { draft: String(runtime.clock.now()) } };
    },
  });
  const run = runNode(sleeps, { state, runtime: { clock } });
  await clock.advance(4000);
  expect((await run).update).toEqual({ draft: "5000" });
});
