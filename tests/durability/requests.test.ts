// What another process asked for is not lost by a crash: it is acknowledged only once what came of it is on record.

import { expect, test } from "bun:test";
import { MemorySaver } from "../../src/journal/memory.ts";
import type { JournalEvent, JournalHandle, JournalOpenOptions, RunRequest } from "../../src/journal/port.ts";
import { AtomicError } from "../../src/lib/errors.ts";
import { graph } from "../../src/workflows/graph/build/builder.ts";
import { executeGraph } from "../../src/workflows/graph/run/execute.ts";
import type { ExecuteOptions, ExecutionResult } from "../../src/workflows/graph/run/execute-options.ts";
import { createNode } from "../../src/workflows/graph/nodes/create-node.ts";
import type { BaseState } from "../../src/workflows/graph/model/state.ts";

/** Loses its process when an event of this type is about to be stored; requests can still be acknowledged before. */
class LosingSaver extends MemorySaver {
  losesAt: string | undefined;

  override async open(run: string, options: JournalOpenOptions): Promise<JournalHandle> {
    const handle = await super.open(run, options);
    const append = (events: readonly JournalEvent[]): ReturnType<JournalHandle["append"]> => {
      if (!events.some(({ type }) => type === this.losesAt)) return handle.append(events);
      this.forgetOwners();
      throw new AtomicError("JOURNAL_WRITE_FAILED", "the process is gone");
    };
    return new Proxy(handle, {
      get: (target, name) => {
        if (name === "append") return append;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }
}

let isDone = false;
const workflow = graph()
  .start(
    createNode<BaseState>({
      id: "long",
      execute: ({ signal }) =>
        isDone
          ? {}
          : new Promise((_, reject) => {
              signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
            }),
    }),
  )
  .wait("Sure?")
  .compile();

/** A run that has opened its journal, so that something can be asked of it; what becomes of it. */
async function start(
  store: MemorySaver,
  options: Pick<ExecuteOptions<BaseState>, "questions"> = {},
): Promise<{ readonly ended: Promise<ExecutionResult<BaseState>> }> {
  const opened = Promise.withResolvers<void>();
  const ended = executeGraph(workflow, {
    ...options,
    journal: { store, run: "run" },
    onEvent: () => opened.resolve(),
  });
  await Promise.race([opened.promise, ended]);
  return { ended };
}

async function crashedAt(losesAt: string, request: RunRequest): Promise<LosingSaver> {
  const store = new LosingSaver();
  store.losesAt = losesAt;
  const { ended } = await start(store, { questions: "stay" });
  await store.request("run", request);
  await expect(ended).rejects.toMatchObject({ code: "JOURNAL_WRITE_FAILED" });
  store.losesAt = undefined;
  return store;
}

test("a request to cancel that was not recorded yet holds after a crash", async () => {
  isDone = false;
  const store = await crashedAt("run.finished", { type: "cancel" });

  expect(await executeGraph(workflow, { journal: { store, run: "run", resume: true } })).toMatchObject({
    status: "cancelled",
  });
});

test("an answer that was not recorded yet holds after a crash, and counts once", async () => {
  isDone = true;
  const store = await crashedAt("question.answered", { type: "answer", question: "Sure?", value: "yes" });

  expect(await executeGraph(workflow, { journal: { store, run: "run", resume: true } })).toMatchObject({
    status: "completed",
    state: { outputs: { "wait-1": "yes" } },
  });
  const handle = await store.open("run", { mode: "resume" });
  expect(await handle.pending()).toEqual([]);
});

test("a request to pause that was obeyed does not pause the run again", async () => {
  isDone = false;
  const store = new MemorySaver();
  const { ended } = await start(store);
  await store.request("run", { type: "pause" });
  expect(await ended).toMatchObject({ status: "paused", reason: "paused" });
  isDone = true;

  expect(
    await executeGraph(workflow, { journal: { store, run: "run", resume: true }, answers: { "Sure?": 1 } }),
  ).toMatchObject({ status: "completed" });
});
