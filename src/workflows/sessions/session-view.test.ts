import { expect, test } from "bun:test";
import { runEvent, type TestEvent } from "../../../tests/support/run-events.ts";
import { readEvent } from "../../events/run-event.ts";
import { createSessionView, nextView, type SessionView, totalsOf } from "./session-view.ts";
import { liveTurns } from "./turn-views.ts";

/** The view after each of these events, one second apart. */
function views(...events: readonly TestEvent[]): readonly SessionView[] {
  const all = [createSessionView("r")];
  events.forEach((event, i) =>
    all.push(nextView(all[i] ?? createSessionView("r"), runEvent(event, { seq: i + 1, at: (i + 1) * 1000 }))),
  );
  return all.slice(1);
}

function lastOf(...events: readonly TestEvent[]): SessionView {
  return views(...events).at(-1) ?? createSessionView("r");
}

const task = (id: string, status: string): TestEvent => ({
  type: "task.updated",
  task: { id, title: `Task ${id}`, status },
});

test("a view never changes, and what an event is not about is the same object in the next one", () => {
  const [planned, working, checked] = views(task("1", "pending"), task("1", "in_progress"), {
    type: "verify.finished",
    command: "npm test",
    exitCode: 0,
    task: "1",
  });

  expect(planned?.tasks.get("1")?.status).toBe("pending");
  expect(working?.tasks.get("1")?.status).toBe("in_progress");
  expect(checked?.tasks).toBe(working?.tasks as SessionView["tasks"]);
  expect(checked?.nodes).toBe(planned?.nodes as SessionView["nodes"]);
  expect(checked?.evidence).not.toBe(working?.evidence as SessionView["evidence"]);
});

test("a task that is reported again as it was is the same object", () => {
  const [first, second, third] = views(task("1", "failed"), task("1", "failed"), {
    type: "task.updated",
    task: { id: "1", title: "Task 1", status: "failed", error: "bad" },
  });

  expect(second?.tasks).toBe(first?.tasks as SessionView["tasks"]);
  expect(third?.tasks.get("1")?.error).toBe("bad");
});

test("the view has the state of every node and visit", () => {
  const visit = (key: string, node: string, number: number) => ({ key, node, visit: number, attempt: 1 });
  const view = lastOf(
    { type: "run.started" },
    { type: "node.started", ...visit("plan#1", "plan", 1) },
    { type: "node.finished", ...visit("plan#1", "plan", 1) },
    { type: "node.started", ...visit("work#1", "work", 1) },
    { type: "node.failed", ...visit("work#1", "work", 1), error: { message: "bad" }, retryAt: 9 },
    { type: "node.started", ...visit("ask#1", "ask", 1) },
    { type: "question.asked", key: "ask#1", node: "ask", question: { id: "q", text: "?" } },
    { type: "node.started", ...visit("plan#2", "plan", 2) },
    { type: "run.paused" },
  );

  expect([...view.visits.values()].map(({ key, state }) => [key, state])).toEqual([
    ["plan#1", "finished"],
    ["work#1", "retrying"],
    ["ask#1", "waiting"],
    ["plan#2", "interrupted"],
  ]);
  expect(view.nodes.get("plan")).toMatchObject({ visits: 2, state: "interrupted" });
  expect(view.nodes.get("work")).toMatchObject({ visits: 1, state: "retrying", error: "bad" });
});

test("the view has the turns under way by worker, and what turns, tasks and agents took", () => {
  const turn = (id: string, taskId: string, worker: number) => ({ turn: id, agent: "worker", task: taskId, worker });
  const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.5 };
  const view = lastOf(
    { type: "run.started" },
    { type: "agent.turn-started", ...turn("t1", "1", 1) },
    { type: "agent.turn-started", ...turn("t2", "2", 2) },
    { type: "agent.turn-finished", ...turn("t1", "1", 1), usage },
    { type: "agent.turn-started", ...turn("t3", "1", 1) },
    { type: "agent.turn-finished", ...turn("t3", "1", 1), usage: { ...usage, costUsd: null } },
    { type: "agent.usage-reported", ...turn("t2", "2", 2), usage },
  );

  expect(liveTurns(view)).toMatchObject([{ turn: "t2", worker: 2, task: "2", used: { input: 10, costUsd: 0.5 } }]);
  expect(view.spentByTask.get("1")).toEqual({ turns: 2, input: 20, output: 10, costUsd: 0.5 });
  expect(view.spentByAgent.get("worker")).toMatchObject({ turns: 2, costUsd: 0.5 });
  expect(totalsOf(view)).toMatchObject({ turns: 2, costUsd: 1 });
});

test("what a turn used before its process was killed counts for its task, agent and model", () => {
  const turn = (id: string) => ({ turn: id, agent: "worker", task: "1", modelAsked: "big" });
  const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0.25 };
  const events = [
    { type: "run.started" },
    { type: "agent.turn-started", ...turn("t1") },
    { type: "agent.turn-started", ...turn("unused") },
    { type: "agent.usage-reported", ...turn("t1"), usage },
    { type: "run.started" },
    { type: "agent.turn-started", ...turn("t2") },
    { type: "agent.turn-finished", ...turn("t2"), usage },
  ] as const;
  const view = lastOf(...events);
  const spent = { turns: 2, input: 20, output: 10, costUsd: 0.5 };

  expect(view.spentByTask.get("1")).toEqual(spent);
  expect(view.spentByAgent.get("worker")).toEqual(spent);
  expect([...view.spentByModel.values()]).toMatchObject([{ ...spent, agent: "worker", model: "big" }]);
  expect(totalsOf(view).costUsd).toBe(0.5);
});

test("the view keeps the checks that speak for a task", () => {
  const check = (exitCode: number): TestEvent => ({ type: "verify.finished", command: "t", exitCode, task: "1" });
  const view = lastOf(check(1), check(0), { type: "verify.finished", command: "all", exitCode: 0, task: null });

  expect(view.evidence.get("1")?.map(({ exitCode }) => exitCode)).toEqual([1, 0]);
  expect(view.evidence.get("")).toMatchObject([{ command: "all" }]);
});

test("an event of a later version changes nothing but the time and the last events", () => {
  const view = lastOf(task("1", "pending"));
  const next = nextView(view, readEvent({ type: "agent.dreamed", of: "sheep", seq: 2, at: 9000 }));

  const { updatedAt, lastSeq, recent, spending, ...same } = next;
  expect([updatedAt, lastSeq, recent.at(-1)?.type, spending.lastAt]).toEqual([9000, 2, "agent.dreamed", 9000]);
  for (const [name, value] of Object.entries(same)) expect(value).toBe(view[name as keyof typeof same]);
});

test("a long run keeps a bounded number of visits and turns in its view", () => {
  const events = Array.from({ length: 4000 }, (_, i): TestEvent[] => [
    { type: "node.started", key: `a#${i}`, node: "a", visit: i, attempt: 1 },
    { type: "agent.turn-started", turn: `t${i}`, agent: "a" },
    { type: "agent.turn-finished", turn: `t${i}`, agent: "a" },
    { type: "node.finished", key: `a#${i}`, node: "a", visit: i, attempt: 1 },
  ]).flat();
  const view = lastOf({ type: "node.started", key: "open#1", node: "open", visit: 1, attempt: 1 }, ...events);

  expect(view.visits.size).toBeLessThanOrEqual(1500);
  expect(view.turns.size).toBeLessThanOrEqual(750);
  expect(view.visits.get("open#1")?.state).toBe("running");
  expect(view.nodes.get("a")?.visits).toBe(4000);
});
