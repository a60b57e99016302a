import { expect, test } from "bun:test";
import { runEvent, type TestEvent } from "../../../tests/support/run-events.ts";
import { createFakeClock, type FakeClock } from "../../testing/fake-clock.ts";
import type { RunEvent } from "../../events/run-event.ts";
import { createDeferred, type Deferred } from "../../lib/deferred.ts";
import { usageFacts } from "../../agents/recorded-usage.ts";
import { noUsage } from "../../agents/usage.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import type { AgentCallContext, SubagentResult, WorkflowBridge } from "../graph/model/bridge.ts";
import type { LoopRound } from "../graph/model/key.ts";
import { createLimitedBridge } from "./limited-bridge.ts";
import { RunLedger } from "./run-ledger.ts";
import { defaultRunLimits, type RunLimits } from "./run-limits.ts";

type Usage = NonNullable<SubagentResult["usage"]>;
const paid = (costUsd: number): SubagentResult => ({
  success: true,
  output: "",
  usage: { inputTokens: 10, outputTokens: 10, costUsd },
});
const failed = (kind: string, more: object = {}): SubagentResult => ({
  success: false,
  output: "",
  error: kind,
  failure: { kind, message: `it was ${kind}`, retryable: true, ...more },
});

interface Turn {
  readonly agent: string;
  readonly end: Deferred<SubagentResult>;
  /** Asks something that is never answered. */
  readonly ask: () => Promise<unknown>;
  /** Reports what one call of the model used. */
  readonly use: (usage: Partial<Usage>) => void;
}

const startsAt = 1_000_000;

/**
 * A run with limits: turns begin when they are let, and end when the test says so. Records wait until they are
 * flushed.
 */
function makeRun(limits: Partial<RunLimits>, recorded: readonly RunEvent[] = []) {
  const clock: FakeClock = createFakeClock(startsAt);
  const ledger = new RunLedger();
  for (const event of recorded) ledger.add(event);
  const turns: Turn[] = [];
  const events: JsonObject[] = [];
  const pauses: JsonObject[] = [];
  const stopping = new AbortController();
  let pending: (TestEvent & { readonly at: number })[] = [];
  let seq = 0;
  const flush = async (): Promise<void> => {
    const batch = pending;
    pending = [];
    for (const event of batch) ledger.add(runEvent(event, { at: event.at, seq: ++seq }));
  };
  const context: AgentCallContext = {
    node: "work",
    key: "work#1",
    signal: stopping.signal,
    attempt: { number: 1, previousNotes: [], note: flush },
    record: (recorded) => {
      const event = { ...recorded, key: "work#1", at: clock.now() };
      pending.push(event);
      events.push(event);
    },
    flush,
    progress: () => undefined,
    sleepUntil: async () => undefined,
    ask: () => new Promise(() => undefined),
  };
  const bridge: WorkflowBridge = {
    async spawn(call) {
      const ask = async (): Promise<unknown> => call.context?.ask({ text: "?" });
      const turnId = `turn ${turns.length + 1}`;
      const use = (usage: Partial<Usage>): void =>
        call.context?.progress("usage.reported", { turnId, usage: usage as object as Json });
      const turn = { agent: call.agent ?? "", end: createDeferred<SubagentResult>(), ask, use };
      turns.push(turn);
      const result = await turn.end.promise;
      call.context?.record({
        type: "agent.turn-finished",
        agent: turn.agent,
        turn: turnId,
        outcome: result.success ? "completed" : "failed",
        usage: usageFacts({ ...noUsage, ...result.usage }),
      });
      await call.context?.flush();
      return result;
    },
    spawnParallel: async () => [],
    contextUsage: async () => undefined,
    clearSession: async () => undefined,
    compactSession: async () => undefined,
  };
  const pause = (reason: string, details: Readonly<Record<string, Json>>): void => {
    pauses.push({ reason, ...details });
    stopping.abort(new Error("paused"));
  };
  const limited = createLimitedBridge({ bridge, ledger, limits: { ...defaultRunLimits, ...limits }, clock, pause });
  return {
    clock,
    ledger,
    turns,
    events,
    pauses,
    flush,
    spawn(iteration?: string | LoopRound, agent = "worker") {
      const spawned = limited.spawn({ agent, task: "x", iteration, context }, stopping.signal);
      spawned.catch(() => undefined);
      return spawned;
    },
    /** Lets everything that is ready continue. */
    settle: () => clock.advance(0),
  };
}

test("a limited bridge starts the first turn of an agent alone where cost is capped, and others when they fit", async () => {
  const run = makeRun({ maxCostUsd: 1 });
  for (let i = 0; i < 4; i++) void run.spawn();
  await run.settle();
  expect(run.turns).toHaveLength(1);

  run.turns[0]?.end.resolve(paid(0.3));
  await run.settle();
  // 0.3 is spent; two more of 0.3 fit into 1, a third would not.
  expect(run.turns).toHaveLength(3);
  run.turns[1]?.end.resolve(paid(0.3));
  await run.settle();
  expect(run.turns).toHaveLength(3);
  run.turns[2]?.end.resolve(paid(0.3));
  await run.settle();
  // Alone, a turn may use what is left: the overshoot is at most one turn.
  expect(run.turns).toHaveLength(4);
  run.turns[3]?.end.resolve(paid(0.3));
  const fifth = run.spawn();
  await run.settle();

  await expect(fifth).rejects.toThrow("is spent");
  expect(run.pauses).toMatchObject([{ reason: "budget", limit: "max-cost" }]);
  expect(run.turns).toHaveLength(4);
});

test("a limited bridge starts as many turns as it is asked for where nothing is capped", async () => {
  const run = makeRun({});
  for (let i = 0; i < 8; i++) void run.spawn();
  await run.settle();

  expect(run.turns).toHaveLength(8);
});

const absurd: readonly (readonly [string, Partial<RunLimits>, SubagentResult["usage"]])[] = [
  ["no usage at all", { maxCostUsd: 1 }, undefined],
  ["no cost", { maxCostUsd: 1 }, { inputTokens: 5, outputTokens: 5 }],
  ["a cost that is not a number", { maxCostUsd: 1 }, { inputTokens: 5, outputTokens: 5, costUsd: Number.NaN }],
  ["a negative cost", { maxCostUsd: 1 }, { inputTokens: 5, outputTokens: 5, costUsd: -3 }],
  ["no tokens", { maxTokens: 100 }, { inputTokens: 0, outputTokens: 0, costUsd: 1 }],
  ["endless tokens", { maxTokens: 100 }, { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 0, costUsd: 1 }],
];

for (const [name, limits, usage] of absurd) {
  test(`a limited bridge keeps a turn that reports ${name}, and stops a capped run before the next one`, async () => {
    const run = makeRun(limits);
    const spawned = run.spawn();
    await run.settle();
    run.turns[0]?.end.resolve({ success: true, output: "", usage });

    expect(await spawned).toMatchObject({ success: true });
    expect(run.pauses).toEqual([]);
    await expect(run.spawn()).rejects.toThrow("does not say");
    expect(run.turns).toHaveLength(1);
    expect(run.pauses).toMatchObject([{ reason: "budget", limit: "usage-unknown" }]);
  });
}

test("a limited bridge takes a failed turn without usage for one that asked no model", async () => {
  const run = makeRun({ maxCostUsd: 1 });
  const first = run.spawn();
  await run.settle();
  run.turns[0]?.end.resolve(failed("refused"));
  expect(await first).toMatchObject({ success: false });
  const second = run.spawn();
  await run.settle();
  run.turns[1]?.end.resolve(paid(0.1));
  expect(await second).toMatchObject({ success: true });
});

test.each<[string, Partial<RunLimits>, Partial<Usage>, string]>([
  ["cost", { maxCostUsd: 1 }, { costUsd: 0.4 }, "max-cost"],
  ["tokens", { maxTokens: 100 }, { inputTokens: 30, outputTokens: 10 }, "max-tokens"],
])("a limited bridge pauses the run at the call that reaches a cap on %s", async (_, limits, usage, limit) => {
  const run = makeRun(limits);
  void run.spawn().catch(() => undefined);
  await run.settle();
  const [turn] = run.turns;
  turn?.use(usage);
  turn?.use(usage);
  expect(run.pauses).toEqual([]);
  turn?.use(usage);
  expect(run.pauses).toMatchObject([{ reason: "budget", limit }]);
});

test("a limited bridge counts the calls of all turns that are under way, and none of them twice", async () => {
  const run = makeRun({ maxCostUsd: 1 });
  const known = run.spawn();
  await run.settle();
  run.turns[0]?.use({ costUsd: 0.1 });
  run.turns[0]?.end.resolve(paid(0.1));
  await known;
  const both = [run.spawn(), run.spawn()];
  await run.settle();
  expect(run.turns).toHaveLength(3);
  run.turns[1]?.use({ costUsd: 0.4 });
  run.turns[2]?.use({ costUsd: 0.4 });
  expect(run.pauses).toEqual([]);
  run.turns[1]?.end.resolve(paid(0.4));
  run.turns[2]?.end.resolve(paid(0.4));
  await Promise.all(both);
  expect(run.ledger.costUsd).toBeCloseTo(0.9);
  expect(run.pauses).toEqual([]);
});

test("a limited bridge counts iterations that are not on record yet, and lets those end before it stops", async () => {
  const run = makeRun({ maxIterations: 2 });
  const [first, second, third] = [run.spawn("a"), run.spawn("b"), run.spawn("c")];
  await run.settle();
  expect(run.turns).toHaveLength(2);
  run.turns[0]?.end.resolve(paid(0));
  await run.settle();
  expect(run.pauses).toEqual([]);
  run.turns[1]?.end.resolve(paid(0));

  expect(await first).toMatchObject({ success: true });
  expect(await second).toMatchObject({ success: true });
  await expect(third).rejects.toThrow("the limit of 2 iterations is reached and work is left");
  expect(run.pauses).toMatchObject([{ limit: "max-iterations", iterations: 2 }]);
});

for (const [name, limits] of [
  ["iterations", { maxIterations: 1 }],
  ["cost", { maxCostUsd: 1 }],
] as const) {
  test(`a limited bridge with a limit of ${name} waits for no turn that waits for an answer`, async () => {
    const run = makeRun(limits);
    void run.spawn("a");
    await run.settle();
    const second = run.spawn("b");
    await run.settle();
    expect([run.turns.length, run.pauses.length]).toEqual([1, 0]);
    void run.turns[0]?.ask();
    await run.settle();

    if (name === "cost") expect(run.turns).toHaveLength(2);
    else await expect(second).rejects.toThrow("the limit of 1 iteration is reached");
  });
}

test("a limited bridge does not count an iteration again that continues after a restart", async () => {
  const run = makeRun({ maxIterations: 1 });
  run.ledger.add({ type: "iteration.started", key: "work#1", iteration: "a", at: 1, seq: 1 });
  void run.spawn("a");
  await run.settle();

  expect(run.turns).toHaveLength(1);
  expect(run.pauses).toEqual([]);
});

test("a limited bridge counts a round of a loop once, however many turns it takes", async () => {
  const run = makeRun({ maxIterations: 2 });
  const round = (number: number): LoopRound => ({ loop: "", round: number });
  const admitted = [round(1), round(1), round(2), round(2)].map((each) => run.spawn(each));
  await run.settle();
  expect(run.turns).toHaveLength(4);
  for (const { end } of run.turns) end.resolve(paid(0));
  await Promise.all(admitted);

  await expect(run.spawn(round(3))).rejects.toThrow("the limit of 2 iterations is reached and work is left");
  expect(run.events.filter(({ type }) => type === "iteration.started")).toMatchObject([{ loop: "", round: 2 }]);
});

test("a limited bridge waits a rate limit out, for all callers, and takes the turn again", async () => {
  const run = makeRun({});
  const first = run.spawn("a");
  await run.settle();
  run.turns[0]?.end.resolve(failed("rate_limited", { resetAt: run.clock.now() + 60_000 }));
  await run.settle();
  void run.spawn("b");
  await run.clock.advance(59_000);
  expect(run.turns).toHaveLength(1);
  await run.clock.advance(1_000);
  expect(run.turns).toHaveLength(3);
  for (const { end } of run.turns.slice(1)) end.resolve(paid(0));

  expect((await first).success).toBe(true);
  expect(run.events.filter(({ type }) => type === "limit.waiting")).toHaveLength(1);
  expect(run.events.filter(({ type }) => type === "iteration.started")).toHaveLength(2);
});

test.each([
  ["waits on for a limit that the record knows of", 0],
  ["waits no longer for it when the clock was set back meanwhile", 3_600_000],
])("a limited bridge %s", async (_, setBackMs) => {
  const at = startsAt + setBackMs;
  const run = makeRun({}, [{ type: "limit.waiting", until: at + 5_000, at, seq: 1 }]);
  void run.spawn("a");
  await run.clock.advance(4_999);
  expect(run.turns).toHaveLength(0);
  await run.clock.advance(1);

  expect(run.turns).toHaveLength(1);
});

test("a limited bridge waits longer each time without a reset time, up to its limit in total", async () => {
  const run = makeRun({ maxWaitMinutes: 2 });
  const spawned = run.spawn("a");
  const waits: number[] = [];
  for (let i = 0; i < 3; i++) {
    await run.settle();
    const began = run.clock.now();
    run.turns.at(-1)?.end.resolve(failed("overloaded", { resetAt: began - 1000 }));
    await run.settle();
    await run.flush();
    const wait = run.events.findLast(({ type }) => type === "limit.waiting")?.["until"] as number;
    waits.push(wait - began);
    await run.clock.advance(wait - began);
  }

  expect(waits.slice(0, 2)).toEqual([30_000, 60_000]);
  await expect(spawned).rejects.toThrow("later than --max-wait allows");
  expect(run.pauses).toMatchObject([{ reason: "budget", limit: "max-wait" }]);
});

const forPeople: readonly (readonly [string, SubagentResult, object])[] = [
  ["a login that is missing", failed("auth"), { reason: "needs-human", problem: "it was auth" }],
  ["an account without credit", failed("budget"), { reason: "budget", limit: "account" }],
  [
    "a program that is missing",
    { success: false, output: "", error: "install it", isUnavailable: true },
    { reason: "needs-human", problem: "install it" },
  ],
];

for (const [name, result, pause] of forPeople) {
  test(`a limited bridge pauses the run for ${name}, and waits for nothing`, async () => {
    const run = makeRun({});
    const spawned = run.spawn("a");
    await run.settle();
    run.turns[0]?.end.resolve(result);

    await expect(spawned).rejects.toThrow();
    expect(run.pauses).toMatchObject([pause]);
    expect(run.clock.sleepers).toBe(0);
  });
}

test("a limited bridge returns other failures to the caller", async () => {
  const run = makeRun({});
  const spawned = run.spawn("a");
  await run.settle();
  run.turns[0]?.end.resolve(failed("crashed"));

  expect(await spawned).toMatchObject({ success: false, failure: { kind: "crashed" } });
  expect(run.pauses).toEqual([]);
});
