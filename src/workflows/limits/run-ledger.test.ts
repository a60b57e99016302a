import { expect, test } from "bun:test";
import { runEvent } from "../../../tests/support/run-events.ts";
import type { JsonObject } from "../../lib/json.ts";
import { RunLedger } from "./run-ledger.ts";

function ledgerOf(
  ...events: readonly { readonly type: string; readonly at: number; readonly [key: string]: unknown }[]
) {
  const ledger = new RunLedger();
  events.forEach((event, i) => ledger.add(runEvent(event, { at: event.at, seq: i + 1 })));
  return ledger;
}

test("RunLedger counts each iteration of a visit once, and forgets the names of a visit that is over", () => {
  const begun = (key: string, iteration: string) => ({ type: "iteration.started", key, iteration, at: 1 });
  const ledger = ledgerOf(begun("a#1", "x"), begun("a#1", "x"), begun("a#1", "y"), begun("b#1", "z"), {
    type: "node.finished",
    key: "a#1",
    at: 2,
  });

  expect(ledger.iterations).toBe(3);
  expect(ledger.hasIteration("z")).toBe(true);
  expect(ledger.hasIteration("x")).toBe(false);
});

test("RunLedger counts the rounds of a loop, its first one when the second shows that there is a loop", () => {
  const round = (loop: string, number: number) => ({
    type: "iteration.started",
    key: "a#1",
    loop,
    round: number,
    at: 1,
  });
  const ledger = ledgerOf(round("", 2), round("", 2), round("", 3), round("1", 2));

  expect(ledger.iterations).toBe(5);
  expect(ledger.hasIteration({ loop: "", round: 1 })).toBe(true);
  expect(ledger.hasIteration({ loop: "", round: 3 })).toBe(true);
  expect(ledger.hasIteration({ loop: "", round: 4 })).toBe(false);
  expect(ledger.hasIteration({ loop: "2", round: 1 })).toBe(true);
  expect(ledger.iterationsBefore({ loop: "", round: 4 })).toBe(5);
  expect(ledger.iterationsBefore({ loop: "2", round: 2 })).toBe(6);
});

test("RunLedger adds up what turns took, and takes nothing that is absurd", () => {
  const turn = (usage: object) => ({ type: "agent.turn-finished", agent: "a", usage, at: 1 });
  const ledger = ledgerOf(
    turn({ inputTokens: 10, outputTokens: 5, cacheReadTokens: 100, costUsd: 0.5 }),
    turn({ inputTokens: -10, outputTokens: Number.NaN, costUsd: -1 }),
    turn({}),
  );

  expect(ledger.totals(1)).toMatchObject({
    turns: 3,
    inputTokens: 110,
    outputTokens: 5,
    costUsd: 0.5,
    turnsWithoutCost: 2,
  });
  expect(ledger.likelyTurn("a")).toEqual({ costUsd: 0.5, tokens: 115 });
  expect(ledger.likelyTurn("b")).toBeUndefined();
});

test("RunLedger counts the time of waits that overlap once", () => {
  const ledger = ledgerOf(
    { type: "limit.waiting", at: 1000, until: 5000 },
    { type: "limit.waiting", at: 2000, until: 6000 },
    { type: "limit.waiting", at: 3000, until: 4000 },
  );

  expect(ledger.waitedMs).toBe(5000);
  expect(ledger.waitUntil).toBe(6000);
});

test("RunLedger counts the time that processes ran, also of one that was killed", () => {
  const ledger = ledgerOf(
    { type: "run.started", at: 0 },
    { type: "node.started", at: 4000 },
    // Killed somewhere after that, and resumed much later.
    { type: "run.started", at: 100_000 },
    { type: "run.paused", at: 101_000 },
    { type: "run.started", at: 200_000 },
  );

  expect(ledger.activeMs(202_000)).toBe(7000);
});

test("RunLedger counts what a turn reports while it is under way, and then what its end says", () => {
  const reported = (turn: string, usage: JsonObject) => ({ type: "agent.usage-reported", turn, usage, at: 1 });
  const ledger = ledgerOf(
    reported("a", { inputTokens: 10, outputTokens: 1, costUsd: 0.1 }),
    reported("a", { inputTokens: 20, outputTokens: 2, costUsd: 0.2 }),
    reported("b", { inputTokens: 5, outputTokens: 5 }),
  );
  expect(ledger.totals(1)).toMatchObject({ turns: 0, inputTokens: 25, outputTokens: 7, costUsd: 0.2 });

  // What is known by now is more than what was recorded last, and a late record takes nothing back.
  ledger.addLive("a", { inputTokens: 10, outputTokens: 1, costUsd: 0.1 });
  ledger.add(runEvent(reported("a", { inputTokens: 20, outputTokens: 2, costUsd: 0.2 }), { seq: 9, at: 1 }));
  expect(ledger.costUsd).toBeCloseTo(0.3);
  const end = { inputTokens: 31, outputTokens: 3, costUsd: 0.31 };
  ledger.add({ type: "agent.turn-finished", agent: "x", turn: "a", outcome: "completed", usage: end, seq: 10, at: 2 });
  expect(ledger.totals(2)).toMatchObject({ turns: 1, inputTokens: 36, outputTokens: 8, turnsWithoutCost: 0 });
  expect(ledger.costUsd).toBeCloseTo(0.31);
});

test("RunLedger keeps what a killed turn had reported, and counts the continued turn as well", () => {
  const usage = { inputTokens: 10, outputTokens: 1, costUsd: 0.1 };
  const ledger = ledgerOf(
    { type: "run.started", at: 0 },
    { type: "agent.usage-reported", turn: "a", usage, at: 1 },
    { type: "agent.usage-reported", turn: "b", usage: { inputTokens: 1, outputTokens: 1 }, at: 1 },
    { type: "run.started", at: 2 },
    { type: "agent.turn-finished", agent: "x", turn: "c", outcome: "completed", usage, at: 3 },
  );
  expect(ledger.totals(3)).toMatchObject({ turns: 1, inputTokens: 21, costUsd: 0.2, turnsWithoutCost: 1 });
});

test("RunLedger remembers who did not say what turns used, until another agent or model takes them", () => {
  const start = (agentKind: string) => ({ type: "run.started", agentKind, model: null, at: 0 });
  const turn = {
    type: "agent.turn-finished",
    agent: "worker",
    outcome: "completed",
    usage: { outputTokens: 5 },
    at: 1,
  };
  expect(ledgerOf(start("a"), turn, start("a")).uncounted).toEqual({ cost: "worker" });
  expect(ledgerOf(start("a"), turn, start("b")).uncounted).toEqual({});
  expect(ledgerOf(start("a"), { ...turn, outcome: "failed", usage: {} }).uncounted).toEqual({});
});
